import { AppLayout, Empty, List, Live, Time } from "../../../http/ui/index.ts";
import { MAIN_EGRESS } from "../../../platform/settings/named-egresses.ts";
import type { ReceiverRow } from "../../../sending/receivers/index.ts";

/** The mail systems that get mail today, first those that have slowed an egress down. */
export const ReceiversPage = ({ receivers }: { receivers: readonly ReceiverRow[] }) => (
  <AppLayout title="Receivers">
    <Live id="receivers">
      <List
        caption="Receivers"
        columns={["Receiver", "Accepted today", "Waits until", "Reply"]}
        empty={<Empty>No SMTP egress has reported on a receiver today.</Empty>}
        rows={receivers.map(({ receiver, accepted_today, until, reason, egress }) => [
          egress === null || egress === MAIN_EGRESS ? receiver : `${receiver} (${egress})`,
          accepted_today.toLocaleString("en"),
          until === null ? "" : <Time at={until} />,
          reason ?? "",
        ])}
      />
    </Live>
  </AppLayout>
);
