import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noBody } from "../../http/json-body.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageQuery, setNextLink } from "../../http/pagination.ts";
import { body, bodyWithLongTexts, query } from "../../http/validate.ts";
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

const operation = operationsOf("Templates");

export const templateRoutes = newRoutes()
  .post(
    "/v1/templates/",
    operation("templates:manage", "createTemplate", {
      summary: "Create a template",
      responses: responses(201, "The template", TemplateOut, [403, 408, 409, 413, 415]),
    }),
    ...bodyWithLongTexts(TemplateIn, contentFields),
    idempotent(201),
    async (c) => c.json(await createTemplate(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/templates/",
    operation("templates:view", "listTemplates", {
      summary: "List templates, most recently updated first",
      description: "A page also ends after about 8 MB.",
      responses: responses(200, "A page of templates", z.array(TemplateOut), [403]),
    }),
    query(ListQuery),
    async (c) => {
      const { rows, next } = await listTemplates(c.get("caller"), c.req.valid("query"));
      if (next !== null) setNextLink(c, { after: `${next.updatedAt}_${next.id}` });
      return c.json(rows.map(toTemplate));
    },
  )
  .get(
    "/v1/templates/:template_id",
    operation("templates:view", "getTemplate", {
      summary: "Get a template",
      responses: responses(200, "The template", TemplateOut, [403, 404]),
    }),
    async (c) => c.json(toTemplate(await getTemplate(c.get("caller"), c.req.param("template_id")))),
  )
  .patch(
    "/v1/templates/:template_id",
    operation("templates:manage", "updateTemplate", {
      summary: "Update a template",
      responses: responses(200, "The template", TemplateOut, [403, 404, 408, 409, 413, 415]),
    }),
    ...bodyWithLongTexts(TemplatePatch, contentFields),
    async (c) => c.json(await updateTemplate(c.get("caller"), c.req.param("template_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/templates/:template_id",
    operation("templates:manage", "deleteTemplate", {
      summary: "Delete a template",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteTemplate(c.get("caller"), c.req.param("template_id"))),
  )
  .post(
    "/v1/templates/:template_id/duplicate",
    operation("templates:manage", "duplicateTemplate", {
      summary: "Duplicate a template",
      responses: responses(201, "The copy", TemplateOut, [403, 404, 409, 413]),
    }),
    noBody,
    idempotent(201),
    async (c) => c.json(await duplicateTemplate(c.get("caller"), c.req.param("template_id")), 201),
  )
  .post(
    "/v1/templates/:template_id/preview",
    operation("templates:view", "previewTemplate", {
      summary: "Preview a template with variables",
      responses: responses(200, "The rendered template", PreviewOut, [403, 404, 413, 415]),
    }),
    ...body(PreviewIn),
    async (c) => c.json(await previewTemplate(c.get("caller"), c.req.param("template_id"), c.req.valid("json"))),
  );
