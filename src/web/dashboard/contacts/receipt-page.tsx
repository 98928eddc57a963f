import type { ErasureOut } from "../../../audience/people/index.ts";
import { AppLayout, List } from "../../../http/ui/index.ts";

/** The page with the receipt of an erasure. */
export const ReceiptPage = ({ receipt }: { receipt: ErasureOut }) => (
  <AppLayout title="Erasure" at="/app/contacts">
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
  </AppLayout>
);
