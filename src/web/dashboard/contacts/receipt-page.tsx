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
    <h2>Removed or changed</h2>
    <List
      caption="Removed or changed"
      columns={["Kind", "Rows"]}
      empty={<p>Nothing yet.</p>}
      rows={Object.entries(receipt.removed).map(([kind, rows]) => [kind.replaceAll("_", " "), rows])}
    />
    <h2>Kept</h2>
    <List caption="Kept" columns={["What", "Why"]} rows={receipt.kept.map(({ what, why }) => [what, why])} />
  </AppLayout>
);
