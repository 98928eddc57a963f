import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Form, Layout, List, Notice, Status, TextArea } from "../../../http/ui/index.ts";
import type { BatchOut } from "../../../sending/emails/index.ts";

interface BatchPageProps {
  caller: CallerCtx;
  items: string;
  /** Generated with the form: a repeated submission sends no second email. */
  idempotencyKey: string;
  refusal?: Refusal | undefined;
}

/** The page that sends a batch: the JSON array of the API. */
export const BatchPage = ({ caller, items, idempotencyKey, refusal }: BatchPageProps) => (
  <Layout title="Send a batch" caller={caller} at="/app/emails">
    <Form action="/app/emails/batch" once={idempotencyKey} refusal={refusal}>
      <TextArea
        name="items"
        label="Emails"
        hint="A JSON array of 1 to 500 emails, as POST /v1/emails/batch takes it; at most 1 MB here. Each is accepted or refused on its own."
        errors={refusal?.errors}
        value={items}
        rows={16}
        code
      />
      <button type="submit">Send</button>
    </Form>
  </Layout>
);

/** Shows the result of each email of a batch. */
export const BatchResultPage = ({ caller, result }: { caller: CallerCtx; result: BatchOut }) => (
  <Layout title="Batch" caller={caller} at="/app/emails">
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
  </Layout>
);
