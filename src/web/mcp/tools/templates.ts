import * as z from "zod";
import { id, idempotencyKey, pageAfter, type Tool } from "../tool.ts";

const content = {
  name: z.string(),
  subject: z.string().nullish().describe("May contain placeholders such as {{name}}."),
  html_body: z.string().nullish(),
  text_body: z.string().nullish(),
};

export const templateTools: readonly Tool[] = [
  {
    name: "list_templates",
    title: "List templates",
    description: "Returns the email templates of the workspace, last changed first.",
    route: "GET /v1/templates/",
    input: z.strictObject(pageAfter(500)),
  },
  {
    name: "get_template",
    title: "Read a template",
    description: "Returns a template with its content and the names of its placeholders.",
    route: "GET /v1/templates/:template_id",
    input: z.strictObject({ template_id: id("template") }),
  },
  {
    name: "preview_template",
    title: "Preview a template",
    description: "Returns a template with values in place of its placeholders. Sends nothing.",
    route: "POST /v1/templates/:template_id/preview",
    effect: "read",
    input: z.strictObject({
      template_id: id("template"),
      variables: z.record(z.string(), z.unknown()).optional().describe("Values by name of the placeholder."),
    }),
  },
  {
    name: "create_template",
    title: "Create a template",
    description: "Creates an email template. Placeholders are written {{name}}.",
    route: "POST /v1/templates/",
    effect: "write",
    input: z.strictObject({ ...content, idempotency_key: idempotencyKey }),
  },
  {
    name: "update_template",
    title: "Change a template",
    description: "Changes the given fields of a template. The earlier content is not kept.",
    route: "PATCH /v1/templates/:template_id",
    effect: "final",
    input: z.strictObject({ template_id: id("template"), ...content, name: content.name.optional() }),
  },
];
