import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { pageQuery, setNextLink } from "../../http/pagination.ts";
import { bodyWithLongTexts } from "../../http/validate.ts";
import { parseUuid } from "../../lib/ids.ts";
import { createTemplate } from "./create.ts";
import { deleteTemplate } from "./delete.ts";
import { duplicateTemplate } from "./duplicate.ts";
import { previewTemplate } from "./preview.ts";
import { getTemplate, listTemplates } from "./queries.ts";
import { PreviewIn, PreviewOut, TemplateIn, TemplateOut, TemplatePatch, toTemplate } from "./schema.ts";
import { updateTemplate } from "./update.ts";

const ListQuery = z.object({
  limit: pageQuery({ default: 100, max: 500 }).limit,
  after: z
    .string()
    .transform((text, context) => {
      const [time = "", id = ""] = text.split("_");
      const uuid = parseUuid(id);
      if (/^\d{1,15}$/.test(time) && uuid !== null) return { updatedAt: Number(time), id: uuid };
      context.addIssue({ code: "custom", message: "after must be the value of a Link header", input: text });
      return z.NEVER;
    })
    .optional()
    .describe("Cursor from the `Link` header of the previous page."),
});

/** The fields of a content, which is too large as a whole. */
const contentFields = ["html_body", "text_body"] as const;

export const templateRoutes = apiRoutes("Templates")
  .post("/v1/templates/", "createTemplate", "templates:manage", outlives.nothing, {
    summary: "Create a template",
    body: bodyWithLongTexts(TemplateIn, contentFields),
    returns: { 201: ["The template", TemplateOut] },
    errors: [408],
    run: (caller, { body }) => createTemplate(caller, body),
  })
  .get("/v1/templates/", "listTemplates", "templates:view", {
    summary: "List templates, most recently updated first",
    description: "A page also ends after about 8 MB.",
    query: ListQuery,
    returns: { 200: ["A page of templates", z.array(TemplateOut)] },
    run: async (caller, { query }, c) => {
      const { rows, next } = await listTemplates(caller, query);
      if (next !== null) setNextLink(c, { after: `${next.updatedAt}_${next.id}` });
      return rows.map(toTemplate);
    },
  })
  .get("/v1/templates/:template_id", "getTemplate", "templates:view", {
    summary: "Get a template",
    returns: { 200: ["The template", TemplateOut] },
    run: async (caller, { template_id }) => toTemplate(await getTemplate(caller, template_id)),
  })
  .patch("/v1/templates/:template_id", "updateTemplate", "templates:manage", outlives.nothing, {
    summary: "Update a template",
    body: bodyWithLongTexts(TemplatePatch, contentFields),
    returns: { 200: ["The template", TemplateOut] },
    errors: [408, 409],
    run: (caller, { template_id, body }) => updateTemplate(caller, template_id, body),
  })
  .delete("/v1/templates/:template_id", "deleteTemplate", "templates:manage", outlives.nothing, {
    summary: "Delete a template",
    returns: { 204: "Deleted" },
    run: (caller, { template_id }) => deleteTemplate(caller, template_id),
  })
  .post("/v1/templates/:template_id/duplicate", "duplicateTemplate", "templates:manage", outlives.nothing, {
    summary: "Duplicate a template",
    returns: { 201: ["The copy", TemplateOut] },
    errors: [413],
    run: (caller, { template_id }) => duplicateTemplate(caller, template_id),
  })
  .post("/v1/templates/:template_id/preview", "previewTemplate", "templates:view", outlives.nothing, {
    summary: "Preview a template with variables",
    body: PreviewIn,
    once: false,
    returns: { 200: ["The rendered template", PreviewOut] },
    run: (caller, { template_id, body }) => previewTemplate(caller, template_id, body),
  });
