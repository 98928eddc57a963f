import type { CallerCtx } from "../../../access/caller.ts";
import { Empty, Layout, List, Live, Time } from "../../../http/ui/index.ts";
import { MAIN_EGRESS } from "../../../platform/settings/named-egresses.ts";
import type { ReceiverRow } from "../../../sending/receivers/index.ts";

interface ReceiversPageProps {
  caller: CallerCtx;
  receivers: readonly ReceiverRow[];
}

/** The mail systems that get mail today, first those that have slowed an egress down. */
export const ReceiversPage = ({ caller, receivers }: ReceiversPageProps) => (
  <Layout title="Receivers" caller={caller} at="/app/admin/receivers">
    <Live id="receivers">
      {receivers.length === 0 ? (
        <Empty>No egress of our own has told of a receiver today.</Empty>
      ) : (
        <List
          caption="Receivers"
          columns={["Receiver", "Accepted today", "Waits until", "Reply"]}
          rows={receivers.map(({ receiver, accepted_today, until, reason, egress }) => [
            egress === null || egress === MAIN_EGRESS ? receiver : `${receiver} (${egress})`,
            accepted_today.toLocaleString("en"),
            until === null ? "" : <Time at={until} />,
            reason ?? "",
          ])}
        />
      )}
    </Live>
  </Layout>
);
