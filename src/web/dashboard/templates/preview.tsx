import { Field, Form, FormDialog, PreviewFrame, Select, Submit, useCaller, useScope } from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import type { TemplateOut } from "../../../sending/templates/index.ts";
import { CONTACT, mayReadContacts } from "../contact-values.ts";
import { namesOf, SAMPLE, type Samples } from "../sample-values.ts";

const toQuery = (samples: Samples, contact: string) =>
  new URLSearchParams([
    ...[...samples].map(([name, value]) => [SAMPLE + name, value]),
    ...(contact === "" ? [] : [[CONTACT, contact]]),
  ]);

interface PreviewProps {
  path: string;
  template: TemplateOut;
  samples: Samples;
}

interface FilledPreviewProps extends PreviewProps {
  /** Address of a contact whose values fill the template, and whether there is one with it. */
  contact: string;
  hasContact: boolean;
}

/** A template filled in with sample values, or with those of a contact. */
export function Preview({ path, template, samples, contact, hasContact }: FilledPreviewProps) {
  const caller = useCaller();
  const fields = namesOf(template);
  return (
    <>
      <PreviewFrame src={`${path}/html?${toQuery(samples, contact)}`} />
      {fields.length === 0 ? null : (
        <details open={samples.size > 0 || contact !== ""}>
          <summary>Sample values</summary>
          <Form method="get" action={path}>
            {mayReadContacts(caller) ? (
              <Field
                name={CONTACT}
                label="Address of a contact"
                type="email"
                required={false}
                value={contact}
                hint="Its values fill the template, as in a broadcast to it."
                error={hasContact ? undefined : "No contact has this address"}
              />
            ) : null}
            <p class="soft">
              {contact !== "" && hasContact
                ? "A sample value replaces that of the contact."
                : "What has no sample value shows its name."}
            </p>
            <div class="columns">
              {fields.map((name) => (
                <Field name={SAMPLE + name} label={name} required={false} value={samples.get(name) ?? ""} />
              ))}
            </div>
            <Submit label="Show" kind="quiet" />
          </Form>
        </details>
      )}
    </>
  );
}

/** The form that mails the stored template, filled in with the sample values. */
export function TestDialog({ path, template, samples, senders }: { senders: readonly MailboxRow[] } & PreviewProps) {
  const { email } = useCaller().actor;
  if (senders.length === 0 || !useScope("emails:send")) return null;
  return (
    <FormDialog label="Send a test" icon="send" kind="quiet" action={`${path}/test`} once button="Send test">
      {namesOf(template).map((name) => (
        <input type="hidden" name={SAMPLE + name} value={samples.get(name) ?? ""} />
      ))}
      <Select name="from_" label="From" options={senders.map(({ address }) => address)} />
      <Field name="to" label="To" type="email" value={email} />
    </FormDialog>
  );
}
