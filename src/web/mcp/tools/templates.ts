import * as z from "zod";
import { type DeclaredTool, idempotencyKey, pageAfter } from "../tool.ts";

const content = {
  name: z.string(),
  subject: z.string().nullish().describe("May contain placeholders such as {{name}}."),
  html_body: z.string().nullish(),
  text_body: z.string().nullish(),
};

export const templateTools: readonly DeclaredTool[] = [
  {
    name: "list_templates",
    title: "List templates",
    description: "Returns the email templates of the workspace, last changed first.",
    route: "GET /v1/templates/",
    input: pageAfter(500),
  },
  {
    name: "get_template",
    title: "Read a template",
    description: "Returns a template with its content and the names of its placeholders.",
    route: "GET /v1/templates/:template_id",
  },
  {
    name: "preview_template",
    title: "Preview a template",
    description: "Returns a template with values in place of its placeholders. Sends nothing.",
    route: "POST /v1/templates/:template_id/preview",
    effect: "read",
    input: {
      variables: z.record(z.string(), z.unknown()).optional().describe("Values by name of the placeholder."),
    },
  },
  {
    name: "create_template",
    title: "Create a template",
    description: "Creates an email template. Placeholders are written {{name}}.",
    route: "POST /v1/templates/",
    effect: "write",
    input: { ...content, idempotency_key: idempotencyKey },
  },
  {
    name: "update_template",
    title: "Change a template",
    description: "Changes the given fields of a template. The earlier content is not kept.",
    route: "PATCH /v1/templates/:template_id",
    effect: "final",
    input: { ...content, name: content.name.optional() },
  },
];
