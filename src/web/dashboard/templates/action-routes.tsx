import { button, creation, deletion } from "../../../http/page-actions.tsx";
import { parseFields } from "../../../http/page-routes.ts";
import { SendIn, sendEmail } from "../../../sending/emails/index.ts";
import { deleteTemplate, duplicateTemplate, getTemplate, toTemplate } from "../../../sending/templates/index.ts";
import { namesOf, readSamples, toVariables } from "../sample-values.ts";

const MAX_TEST_BYTES = 250_000;

/** Actions on a template: send a test, copy it, delete it. */
export const templateActions = [
  creation("/app/templates/:template_id/test", "POST /v1/emails/", {
    read: async (fields, c) => {
      const template = toTemplate(await getTemplate(c.get("caller"), c.req.param("template_id") ?? ""));
      return parseFields(SendIn, {
        from_: { email: fields.get("from_") ?? "" },
        to: [{ email: fields.get("to") ?? "" }],
        template_id: template.id,
        variables: toVariables(template.language, namesOf(template), readSamples(fields)),
      });
    },
    run: (ctx, _: string, input: SendIn) => sendEmail(ctx, input, "ui"),
    to: "/app/emails/:id?done=sent",
    done: {},
    maxBytes: MAX_TEST_BYTES,
  }),
  button("/app/templates/:template_id/duplicate", "POST /v1/templates/:template_id/duplicate", {
    run: duplicateTemplate,
    once: true,
    to: "/app/templates/:id",
    done: { duplicated: "This is the copy." },
  }),
  deletion("/app/templates/:template_id/delete", "DELETE /v1/templates/:template_id", {
    of: getTemplate,
    title: ({ name }) => `Delete ${name}?`,
    text: "Emails that use it are refused from then on. This cannot be undone.",
    run: deleteTemplate,
  }),
];
