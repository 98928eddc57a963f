import { Field, FormDialog, Select, useCaller } from "../../../http/ui/index.ts";

interface TestMailProps {
  senders: readonly string[];
  /** False when the workspace has a test domain only. */
  hasOwnDomain: boolean;
  /** False while the page has another main button. */
  isMain: boolean;
}

/** The form that sends a test mail from a mailbox of the workspace. */
export const TestMail = ({ senders, hasOwnDomain, isMain }: TestMailProps) => (
  <FormDialog
    label="Send a test mail"
    icon="send"
    kind={isMain ? undefined : "quiet"}
    action="/app/test-mail"
    once
    button="Send"
  >
    <Select name="from_" label="From" options={senders} />
    <Field
      name="to"
      label="To"
      hint={
        hasOwnDomain
          ? "delivered@simulator.test accepts every email, and bounced@simulator.test refuses it."
          : "The test domain sends to members of the workspace only."
      }
      value={useCaller().actor.email}
      maxlength={254}
    />
  </FormDialog>
);

/** Returns the request of the API for a test mail. `at` in ISO 8601, so that two test mails differ. */
export const toTestRequest = (form: URLSearchParams, at: string) => ({
  from_: { email: form.get("from_")?.trim() ?? "" },
  to: [{ email: form.get("to")?.trim() ?? "" }],
  subject: "A test mail",
  text: `It works. This test mail was requested on the dashboard at ${at}.\n`,
});
