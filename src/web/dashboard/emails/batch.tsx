import { AppLayout, Form, List, Notice, Status, TextArea } from "../../../http/ui/index.ts";
import type { BatchOut } from "../../../sending/emails/index.ts";

const EXAMPLE = JSON.stringify(
  [{ from_: { email: "" }, to: [{ email: "delivered@simulator.test" }], subject: "A test", text: "It works." }],
  null,
  2,
);

/** The page that sends a batch: the JSON array of the API. */
export const BatchPage = () => (
  <AppLayout title="Send a batch">
    <Form action="/app/emails/batch" once>
      <TextArea
        name="items"
        label="Emails"
        hint="A JSON array of 1 to 500 emails, as POST /v1/emails/batch takes it; at most 1 MB here. Each is accepted or refused on its own."
        value={EXAMPLE}
        rows={16}
        code
      />
      <button type="submit">Send</button>
    </Form>
  </AppLayout>
);

/** Shows the result of each email of a batch. */
export const BatchResultPage = ({ result }: { result: BatchOut }) => (
  <AppLayout title="Batch">
    <Notice kind={result.failed === 0 ? "good" : "warn"}>
      {result.sent} of {result.total} accepted, {result.failed} refused.
    </Notice>
    <List
      caption="Results"
      columns={["Item", "Status", "Email", "Reason"]}
      rows={result.results.map(({ id, status, rejection_reason }, index) => [
        index + 1,
        <Status word={status} />,
        id === null ? "" : <a href={`/app/emails/${id}`}>{id}</a>,
        rejection_reason ?? "",
      ])}
    />
    <p>
      <a href="/app/emails">All emails</a>
    </p>
  </AppLayout>
);
