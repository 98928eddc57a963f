import type { CallerCtx } from "../../../access/caller.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondMailHtml, respondPage } from "../../../http/page.tsx";
import { page, post } from "../../../http/page-actions.tsx";
import { onceForForm, parseFields, readForm, submitForm } from "../../../http/page-routes.ts";
import type { Refusal } from "../../../http/ui/index.ts";
import { nullIfMissing } from "../../../lib/errors.ts";
import { textAsHtml } from "../../../lib/placeholders.ts";
import { SendIn, sendEmail, type ValidateOut, validateEmail } from "../../../sending/emails/index.ts";
import { getTemplate, listTemplateNames, type TemplateOut, toTemplate } from "../../../sending/templates/index.ts";
import { previewHtml } from "../sample-values.ts";
import { listSenders } from "../senders.ts";
import { chosenTemplate, MAX_CHOICES } from "../template-list.tsx";
import { type EmailForm, NewEmailPage, readEmailForm, toSendRequest } from "./form.tsx";

const MAX_FORM_BYTES = 1_000_000;

/** The page that sends one email, and the frame in which it shows the email. */
export const newEmailRoutes = [
  page("/app/emails/new", "POST /v1/emails/", (c) => showForm(c)),
  post(
    "/app/emails/new",
    "POST /v1/emails/",
    (c) =>
      submitForm(c, { show: showForm, maxBytes: MAX_FORM_BYTES }, async (fields) => {
        const [action, templateId] = [fields.get("action"), chosenTemplate(fields)];
        if (templateId !== null) {
          fields.set("template_id", templateId);
          // The subject that was written is that of another content.
          fields.set("subject", "");
          return showForm(c);
        }
        if (action === "own") {
          fields.delete("template_id");
          return showForm(c);
        }
        const form = readEmailForm(fields);
        const input = parseFields(SendIn, toSendRequest(form));
        if (action === "check") {
          const refusal = toIssues(await validateEmail(c.get("caller"), input), form);
          if (refusal) c.set("refusal", refusal);
          return showForm(c, refusal === undefined);
        }
        const { id } = await onceForForm(c, (ctx) => sendEmail(ctx, input, "ui"));
        return `/app/emails/${id}?done=sent`;
      }),
    { sent: "The email is accepted." },
  ),
  post("/app/emails/preview", "POST /v1/emails/validate", async (c) => {
    const form = readEmailForm(await readForm(c, MAX_FORM_BYTES));
    const template = await findTemplate(c, form.templateId);
    if (template) return respondMailHtml(c, await showTemplate(c.get("caller"), template, form));
    return respondMailHtml(c, form.html === "" ? textAsHtml(form.text) : form.html);
  }),
];

/** Returns a template that the role may see, or null without an id or for one that is unknown. */
async function findTemplate(c: AppContext, id: string): Promise<TemplateOut | null> {
  const caller = c.get("caller");
  if (id === "" || !caller.actor.scopes.has("templates:view")) return null;
  const found = await getTemplate(caller, id).catch(nullIfMissing);
  return found && toTemplate(found);
}

const showTemplate = (caller: CallerCtx, { language, html_body, text_body }: TemplateOut, { values }: EmailForm) =>
  previewHtml(caller, { language, html: html_body || null, text: text_body }, values);

/** Field of the form that an issue is about. A form with a template has no field for the content. */
const fieldsOf = { account: "from_", from: "from_", to: "to", content: "text" } as const;
const fieldOf = (field: keyof typeof fieldsOf, { templateId }: EmailForm) =>
  field === "content" && templateId !== "" ? "subject" : fieldsOf[field];

/** Returns what an issue says; where it is in the request is not for readers of a page, but content has several fields. */
const toMessage = ({ field, error }: ValidateOut["issues"][number]) =>
  field === "content" ? error : error.replace(/^(?:to|from_)(?:\.\w+)*: /, "");

/** Returns the issues of an email that was checked as errors of its form, or nothing when there is none. */
function toIssues({ issues }: ValidateOut, form: EmailForm): Refusal | undefined {
  if (issues.length === 0) return undefined;
  const errors = Map.groupBy(issues, ({ field }) => fieldOf(field, form));
  return {
    status: 200,
    message: "The email has issues.",
    errors: new Map([...errors].map(([field, found]) => [field, found.map(toMessage).join(". ")])),
  };
}

async function showForm(c: AppContext, isValid = false) {
  const caller = c.get("caller");
  const mayChoose = caller.actor.scopes.has("templates:view");
  const form = readEmailForm(c.get("form") ?? new URLSearchParams({ template_id: c.req.query("template") ?? "" }));
  const [senders, templates, template] = await Promise.all([
    listSenders(caller),
    mayChoose ? listTemplateNames(caller, MAX_CHOICES) : [],
    findTemplate(c, form.templateId),
  ]);
  const shown = (
    <NewEmailPage senders={senders} form={form} templates={templates} template={template} isValid={isValid} />
  );
  return respondPage(c, shown, { frames: true });
}
