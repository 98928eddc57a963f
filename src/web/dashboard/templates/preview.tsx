import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Dialog, Field, Form, PreviewFrame, Select } from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import type { TemplateOut } from "../../../sending/templates/index.ts";
import { namesOf, SAMPLE, type Samples } from "../sample-values.ts";
import { CONTACT, mayReadContacts } from "./contact-values.ts";

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
  caller: CallerCtx;
  /** Address of a contact whose values fill the template, and whether there is one with it. */
  contact: string;
  hasContact: boolean;
}

/** A template filled in with sample values, or with those of a contact. */
export function Preview({ caller, path, template, samples, contact, hasContact }: FilledPreviewProps) {
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
                {...{ name: CONTACT, label: "Address of a contact", type: "email", required: false, value: contact }}
                hint="Its values fill the template, as in a broadcast to it."
                errors={hasContact ? undefined : new Map([[CONTACT, "No contact has this address"]])}
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
            <button class="quiet" type="submit">
              Show
            </button>
          </Form>
        </details>
      )}
    </>
  );
}

/** Returns whether a refusal is about the form that sends a test. */
export const isRefusedTest = (refusal: Refusal | undefined) =>
  refusal !== undefined && (refusal.errors.has("to") || refusal.errors.has("from_"));

interface TestDialogProps extends PreviewProps {
  caller: CallerCtx;
  senders: readonly MailboxRow[];
  /** Why the test was refused. */
  refusal: Refusal | undefined;
}

/** The form that mails the stored template, filled in with the sample values. */
export function TestDialog({ caller, path, template, samples, senders, refusal }: TestDialogProps) {
  if (senders.length === 0 || !caller.actor.scopes.has("emails:send")) return null;
  return (
    <Dialog label="Send a test" icon="send" kind="quiet" isOpen={refusal !== undefined}>
      <Form action={`${path}/test`} once={crypto.randomUUID()} refusal={refusal}>
        {namesOf(template).map((name) => (
          <input type="hidden" name={SAMPLE + name} value={samples.get(name) ?? ""} />
        ))}
        <Select
          name="from_"
          label="From"
          options={senders.map(({ address }) => ({ value: address, label: address }))}
          errors={refusal?.errors}
        />
        <Field name="to" label="To" type="email" value={caller.actor.email} errors={refusal?.errors} />
        <button type="submit">Send test</button>
      </Form>
    </Dialog>
  );
}
