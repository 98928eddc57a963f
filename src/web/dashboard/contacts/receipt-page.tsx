import type { CallerCtx } from "../../../access/caller.ts";
import type { ErasureOut } from "../../../audience/people/index.ts";
import { Layout, List } from "../../../http/ui/index.ts";

/** The page with the receipt of an erasure. */
export const ReceiptPage = ({ caller, receipt }: { caller: CallerCtx; receipt: ErasureOut }) => (
  <Layout title="Erasure" caller={caller} at="/app/contacts">
    <p>
      {receipt.status === "done"
        ? "The person is erased."
        : "The erasure runs in the background and begins within a few minutes. Reload this page to see how far it is."}
    </p>
    <p>
      Receipt <code>{receipt.id}</code>
    </p>
    <List
      caption="Removed or changed"
      columns={["Kind", "Rows"]}
      rows={Object.entries(receipt.removed).map(([kind, rows]) => [kind.replaceAll("_", " "), rows])}
    />
    <List caption="Kept" columns={["What", "Why"]} rows={receipt.kept.map(({ what, why }) => [what, why])} />
  </Layout>
);
