import { respondPage } from "../../../http/page.tsx";
import { creation, page, pagesOf } from "../../../http/page-actions.tsx";
import { AppLayout, Form, LinkLine, List, Notice, Status, TextArea } from "../../../http/ui/index.ts";
import { parseItems } from "../../../http/validate.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { type BatchOut, emailLimits, SendIn, sendBatch } from "../../../sending/emails/index.ts";

const MAX_FORM_BYTES = 1_000_000;

const BATCH = "POST /v1/emails/batch";

export const batchPages = pagesOf(
  "batch",
  page("/app/emails/batch", BATCH, (c) => respondPage(c, <BatchPage />)),
  creation("/app/emails/batch", BATCH, {
    read: (fields) => parseItems(SendIn, emailLimits.batch, parseJson(fields.get("items") ?? "")),
    run: (ctx, items) => sendBatch(ctx, items, false),
    to: (result, c) => respondPage(c, <BatchResultPage result={result} />),
    maxBytes: MAX_FORM_BYTES,
  }),
);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${error.message}` : "";
    throw unprocessable([{ loc: ["body", "items"], msg: `This is not JSON${reason}`, type: "json_invalid" }]);
  }
}

const EXAMPLE = JSON.stringify(
  [{ from_: { email: "" }, to: [{ email: "delivered@simulator.test" }], subject: "A test", text: "It works." }],
  null,
  2,
);

const BatchPage = () => (
  <AppLayout title="Send a batch">
    <Form action="/app/emails/batch" once>
      <TextArea
        name="items"
        label="Emails"
        hint="A JSON array of 1 to 500 emails, as the API takes it; at most 1 MB here. Each is accepted or refused on its own."
        value={EXAMPLE}
        rows={16}
        code
      />
      <button type="submit">Send</button>
    </Form>
  </AppLayout>
);

const BatchResultPage = ({ result }: { result: BatchOut }) => (
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
    <LinkLine to="/app/emails" label="All emails" />
  </AppLayout>
);
