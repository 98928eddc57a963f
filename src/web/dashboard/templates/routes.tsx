import { respondPage } from "../../../http/page.tsx";
import { get, page, pagesOf, post } from "../../../http/page-actions.tsx";
import { onceForForm, parseFields, readForm, submitForm } from "../../../http/page-routes.ts";
import { requireVersion } from "../../../lib/form-version.ts";
import {
  createTemplate,
  getTemplate,
  listTemplates,
  TemplateIn,
  TemplatePatch,
  toTemplate,
  updateTemplate,
} from "../../../sending/templates/index.ts";
import { atBlocks, changeOf, showContent } from "../blocks/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { templateActions } from "./action-routes.tsx";
import { toForm, toRequest, toTemplateForm, valuesOf } from "./form.ts";
import { TemplatesPage } from "./page.tsx";
import { showNew, showTemplate } from "./show.tsx";

/** Greatest body of the form, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3_000_000;
const CREATE = "POST /v1/templates/";

/** The pages of templates. The form of one is submitted to save it, to change its blocks, and to preview it in a frame. */
export const templatePages = pagesOf(
  "template",
  page("/app/templates", "GET /v1/templates/", async (c) => {
    const [updatedAt, id] = (c.req.query("after") ?? "").split(" ");
    const after = id ? { after: { updatedAt: Number(updatedAt) || 0, id } } : {};
    const { rows, next } = await listTemplates(c.get("caller"), { ...after, limit: PAGE_SIZE });
    return respondPage(c, <TemplatesPage templates={rows.map(toTemplate)} />, {
      next: next && `/app/templates?${new URLSearchParams({ after: `${next.updatedAt} ${next.id}` })}`,
    });
  }),
  page("/app/templates/new", CREATE, showNew),
  post("/app/templates/new", CREATE, (c) =>
    submitForm(c, { show: showNew, maxBytes: MAX_FORM_BYTES }, async (fields) => {
      const form = toTemplateForm(fields);
      if (changeOf(form.blocks, fields)) return showNew(c);
      const input = parseFields(TemplateIn, toRequest(form));
      const { id } = await onceForForm(c, (ctx) => atBlocks(form.blocks, () => createTemplate(ctx, input)));
      return `/app/templates/${id}?done=saved`;
    }),
  ),
  post("/app/templates/preview", CREATE, async (c) => {
    const fields = await readForm(c, MAX_FORM_BYTES);
    return showContent(c, toTemplateForm(fields), fields);
  }),
  page("/app/templates/:template_id", "GET /v1/templates/:template_id", showTemplate),
  post(
    "/app/templates/:template_id",
    "PATCH /v1/templates/:template_id",
    (c) =>
      submitForm(c, { show: showTemplate, maxBytes: MAX_FORM_BYTES }, async (fields) => {
        const id = c.req.param("template_id");
        const form = toTemplateForm(fields);
        if (changeOf(form.blocks, fields)) return showTemplate(c);
        const stored = toForm(toTemplate(await getTemplate(c.get("caller"), id)));
        const patch = parseFields(TemplatePatch, toRequest(form, stored.blocks));
        requireVersion(form.version, valuesOf(stored), valuesOf(form));
        await atBlocks(form.blocks, () => updateTemplate(c.get("caller"), id, patch));
        return `/app/templates/${id}?done=saved`;
      }),
    { saved: "The template is saved." },
  ),
  get("/app/templates/:template_id/html", "POST /v1/templates/:template_id/preview", async (c) => {
    const template = toTemplate(await getTemplate(c.get("caller"), c.req.param("template_id")));
    return showContent(c, toForm(template), new URL(c.req.url).searchParams);
  }),
  ...templateActions,
);
