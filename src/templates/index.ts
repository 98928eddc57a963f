export { type RenderedContent, renderTemplate, type TemplateContent } from "./render.ts";
export { Variables } from "./schema.ts";
