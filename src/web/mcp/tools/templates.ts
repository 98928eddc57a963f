import type { ToolsByName } from "../tool.ts";

export const templateTools: ToolsByName = {
  list_templates: {
    title: "List templates",
    description: "Returns the email templates of the workspace, last changed first.",
    route: "GET /v1/templates/",
  },
  get_template: {
    title: "Read a template",
    description: "Returns a template with its content and the names of its placeholders.",
    route: "GET /v1/templates/:template_id",
  },
  preview_template: {
    title: "Preview a template",
    description: "Returns a template with values in place of its placeholders. Sends nothing.",
    route: "POST /v1/templates/:template_id/preview",
    effect: "read",
  },
  create_template: {
    title: "Create a template",
    description: "Creates an email template. Placeholders are written {{name}}.",
    route: "POST /v1/templates/",
    without: ["blocks_json"],
    effect: "write",
  },
  update_template: {
    title: "Change a template",
    description: "Changes the given fields of a template. The earlier content is not kept.",
    route: "PATCH /v1/templates/:template_id",
    without: ["blocks_json"],
    effect: "final",
  },
};
