import type { Refusal } from "../../../http/page-form.ts";
import { Dialog, Field, Form, Select } from "../../../http/ui/index.ts";

/** The fields of the form that sends a test mail, as they were filled in. */
export interface TestForm {
  from: string;
  to: string;
  /** Generated with the form: a repeated submission sends no second email. */
  idempotencyKey: string;
}

interface TestMailProps {
  senders: readonly string[];
  /** False when the workspace has a test domain only. */
  hasOwnDomain: boolean;
  /** False while the page has another main button. */
  isMain: boolean;
  form: TestForm;
  refusal?: Refusal | undefined;
}

/** The form that sends a test mail from a mailbox of the workspace. */
export const TestMail = ({ senders, hasOwnDomain, isMain, form, refusal }: TestMailProps) => (
  <Dialog
    label="Send a test mail"
    icon="send"
    isOpen={refusal !== undefined}
    {...(isMain ? {} : { kind: "quiet" as const })}
  >
    <Form action="/app/test-mail" once={form.idempotencyKey} refusal={refusal}>
      <Select
        name="from_"
        label="From"
        options={senders.map((address) => ({ value: address, label: address }))}
        value={form.from}
        errors={refusal?.errors}
      />
      <Field
        name="to"
        label="To"
        hint={
          hasOwnDomain
            ? "delivered@simulator.test accepts every email, and bounced@simulator.test refuses it."
            : "The test domain sends to members of the workspace only."
        }
        value={form.to}
        errors={refusal?.errors}
        maxlength={254}
      />
      <button type="submit">Send</button>
    </Form>
  </Dialog>
);

/** Returns the request of the API for a test mail. `at` in ISO 8601, so that two test mails differ. */
export const toTestRequest = ({ from, to }: TestForm, at: string) => ({
  from_: { email: from },
  to: [{ email: to }],
  subject: "A test mail",
  text: `It works. This test mail was requested on the dashboard at ${at}.\n`,
});
