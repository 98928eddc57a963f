import { activities, getBroadcast, listRecipients } from "../../../audience/broadcasts/index.ts";
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
  const [caller, id] = [c.get("caller"), idOf(c)];
  const activity = activities.find((one) => one === c.req.query("activity"));
  const after = Number(/^\d{1,15}$/.exec(c.req.query("after") ?? "")?.[0] ?? 0);
  const [{ row }, { recipients, next }] = await Promise.all([
    getBroadcast(caller, id),
    listRecipients(caller, id, { activity, after, limit: PAGE_SIZE }),
  ]);
  const path = pathOfRecipients(row.id, activity);
  const page = (
    <AppLayout title={`Recipients of ${row.name}`}>
      <Chips
        label="Activity"
        choices={["", ...activities].map((one) => [one, one || "all"] as const)}
        chosen={activity ?? ""}
        to={(one) => pathOfRecipients(row.id, one)}
      />
      <List
        caption="Recipients"
        columns={["Status", "Address", "Name", "Opens", "Clicks", "Sent"]}
        empty={<Empty>{next === null ? "Nobody so far." : "None among these. There are more."}</Empty>}
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
  return respondPage(c, page, {
    next: next === null ? null : `${path}${activity ? "&" : "?"}after=${next}`,
    nextLabel: "More",
  });
}
