import { newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { SendIn, sendEmail } from "../../../sending/emails/index.ts";
import {
  deleteTemplate,
  duplicateTemplate,
  getTemplate,
  toTemplate,
  updateTemplate,
} from "../../../sending/templates/index.ts";
import { namesOf, readSamples, toVariables } from "../sample-values.ts";
import { showTemplate } from "./show.tsx";

/** Greatest body of the form that sends a test, in bytes. */
const MAX_TEST_BYTES = 250_000;
const UPDATE = "PATCH /v1/templates/:template_id";
const DELETE = "DELETE /v1/templates/:template_id";

/** Actions on a template: send a test, copy it, give up its blocks, delete it. */
export const templateActionPages = newRoutes()
  .post("/app/templates/:template_id/test", ...pageFor("POST /v1/emails/"), (c) =>
    submitForm(c, { show: showTemplate, maxBytes: MAX_TEST_BYTES }, async (fields) => {
      const template = toTemplate(await getTemplate(c.get("caller"), c.req.param("template_id")));
      const request = {
        from_: { email: fields.get("from_") ?? "" },
        to: [{ email: fields.get("to") ?? "" }],
        template_id: template.id,
        variables: toVariables(template.language, namesOf(template), readSamples(fields)),
      };
      const input = parseFields(SendIn, request);
      const { id } = await onceForForm(c, (ctx) => sendEmail(ctx, input, "ui"));
      return `/app/emails/${id}?done=sent`;
    }),
  )
  .post("/app/templates/:template_id/duplicate", ...pageFor("POST /v1/templates/:template_id/duplicate"), (c) =>
    submitForm(c, showTemplate, async () => {
      const id = c.req.param("template_id");
      const copy = await onceForForm(c, (ctx) => duplicateTemplate(ctx, id));
      return `/app/templates/${copy.id}?done=duplicated`;
    }),
  )
  .get("/app/templates/:template_id/delete", ...pageFor(DELETE), async (c) => {
    const { id, name } = await getTemplate(c.get("caller"), c.req.param("template_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Delete ${name}?`} button="Delete template" back={`/app/templates/${id}`}>
        Sends that name it are refused from then on. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/templates/:template_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteTemplate(c.get("caller"), c.req.param("template_id"));
    return c.redirect("/app/templates?done=deleted", 303);
  })
  .get("/app/templates/:template_id/to-html", ...pageFor(UPDATE), async (c) => {
    const { id, name } = await getTemplate(c.get("caller"), c.req.param("template_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Edit ${name} as HTML?`} button="Delete the blocks" back={`/app/templates/${id}`}>
        Its HTML and text stay as they are saved, and are edited from then on. The blocks are deleted, and cannot be
        made of HTML again.
      </ConfirmPage>,
    );
  })
  .post("/app/templates/:template_id/to-html", ...pageFor(UPDATE), async (c) => {
    const { id } = await updateTemplate(c.get("caller"), c.req.param("template_id"), { blocks_json: null });
    return c.redirect(`/app/templates/${id}?done=html`, 303);
  });
