import {
  activities,
  type BroadcastOut,
  getBroadcast,
  listRecipients,
  type RecipientOut,
  toRecord,
} from "../../../audience/broadcasts/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { AppLayout, Chips, Empty, List, Status, Time } from "../../../http/ui/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { idOf } from "./save-step.tsx";

/** Returns the path of the recipients of a broadcast, of all or of those who did something. */
export const pathOfRecipients = (broadcastId: string, activity = "") =>
  `/app/broadcasts/${broadcastId}/recipients${activity && `?activity=${activity}`}`;

/** Shows who got a broadcast, opened it, clicked in it, or left by it. */
export async function showRecipients(c: AppContext): Promise<Response> {
  const caller = c.get("caller");
  const activity = activities.find((one) => one === c.req.query("activity"));
  const after = Number(/^\d{1,15}$/.exec(c.req.query("after") ?? "")?.[0] ?? 0);
  const [found, { recipients, next }] = await Promise.all([
    getBroadcast(caller, idOf(c)),
    listRecipients(caller, idOf(c), { activity, after, limit: PAGE_SIZE }),
  ]);
  const broadcast = toRecord(caller.workspace.id, found);
  const page = (
    <RecipientsPage broadcast={broadcast} recipients={recipients} activity={activity} hasMore={next !== null} />
  );
  const path = pathOfRecipients(broadcast.id, activity);
  return respondPage(c, page, {
    next: next === null ? null : `${path}${activity ? "&" : "?"}after=${next}`,
    nextLabel: "More",
  });
}

interface RecipientsPageProps {
  broadcast: BroadcastOut;
  recipients: readonly RecipientOut[];
  activity: string | undefined;
  hasMore: boolean;
}

const RecipientsPage = ({ broadcast, recipients, activity = "", hasMore }: RecipientsPageProps) => (
  <AppLayout title={`Recipients of ${broadcast.name}`}>
    <Chips
      label="Activity"
      choices={["", ...activities].map((one) => [one, one || "all"] as const)}
      chosen={activity}
      to={(one) => pathOfRecipients(broadcast.id, one)}
    />
    <List
      caption="Recipients"
      columns={["Status", "Address", "Name", "Opens", "Clicks", "Sent"]}
      empty={<Empty>{hasMore ? "None among these. There are more." : "Nobody so far."}</Empty>}
      rows={recipients.map((recipient) => [
        <Status word={recipient.left_by ?? recipient.status} />,
        <a href={`/app/emails/${recipient.email_id}`}>{recipient.email}</a>,
        recipient.name,
        recipient.opened_count,
        recipient.clicked_count,
        recipient.sent_at === null ? "–" : <Time at={recipient.sent_at} />,
      ])}
    />
  </AppLayout>
);
