import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
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
export const templateActionPages = new Hono<AppEnv>()
  .post("/app/templates/:template_id/test", ...pageFor("POST /v1/emails/"), async (c) => {
    const caller = c.get("caller");
    const id = c.req.param("template_id");
    const fields = await readForm(c, MAX_TEST_BYTES);
    const samples = readSamples(fields);
    return submitForm(
      c,
      async () => {
        const template = toTemplate(await getTemplate(caller, id));
        const addresses = { from_: { email: fields.get("from_") ?? "" }, to: [{ email: fields.get("to") ?? "" }] };
        const request = {
          ...addresses,
          template_id: template.id,
          variables: toVariables(template.language, namesOf(template), samples),
        };
        const input = parseFields(SendIn, request);
        const key = fields.get("idempotency_key") ?? "";
        const email = await onceForForm(c, key, JSON.stringify(request), (ctx) => sendEmail(ctx, input, "ui"));
        return `/app/emails/${email.id}?done=sent`;
      },
      (refusal) => showTemplate(c, { refusal, samples }),
    );
  })
  .post("/app/templates/:template_id/duplicate", ...pageFor("POST /v1/templates/:template_id/duplicate"), async (c) => {
    const id = c.req.param("template_id");
    const key = (await readForm(c)).get("idempotency_key") ?? "";
    return submitForm(
      c,
      async () => {
        const copy = await onceForForm(c, key, id, (ctx) => duplicateTemplate(ctx, id));
        return `/app/templates/${copy.id}?done=duplicated`;
      },
      (refusal) => showTemplate(c, { refusal }),
    );
  })
  .get("/app/templates/:template_id/delete", ...pageFor(DELETE), async (c) => {
    const caller = c.get("caller");
    const { id, name } = await getTemplate(caller, c.req.param("template_id"));
    return respondPage(
      c,
      <ConfirmPage
        title={`Delete ${name}?`}
        caller={caller}
        button="Delete template"
        back={`/app/templates/${id}`}
        at="/app/templates"
      >
        Sends that name it are refused from then on. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/templates/:template_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteTemplate(c.get("caller"), c.req.param("template_id"));
    return c.redirect("/app/templates?done=deleted", 303);
  })
  .get("/app/templates/:template_id/to-html", ...pageFor(UPDATE), async (c) => {
    const caller = c.get("caller");
    const { id, name } = await getTemplate(caller, c.req.param("template_id"));
    return respondPage(
      c,
      <ConfirmPage
        title={`Edit ${name} as HTML?`}
        caller={caller}
        button="Delete the blocks"
        back={`/app/templates/${id}`}
        at="/app/templates"
      >
        Its HTML and text stay as they are saved, and are edited from then on. The blocks are deleted, and cannot be
        made of HTML again.
      </ConfirmPage>,
    );
  })
  .post("/app/templates/:template_id/to-html", ...pageFor(UPDATE), async (c) => {
    const { id } = await updateTemplate(c.get("caller"), c.req.param("template_id"), { blocks_json: null });
    return c.redirect(`/app/templates/${id}?done=html`, 303);
  });
