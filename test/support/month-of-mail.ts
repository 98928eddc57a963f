/** A month of mail of a domain with three troubles, written to its mail database. */
import { idOfTime } from "../../src/lib/ids.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";

interface Sender {
  workspaceNumber: number;
  domainId: string;
  domain: string;
  mailboxId: string;
}

/** Mail of a day: its recipient domain, and how many of 1,000 recipients ended how. */
const RECEIVERS: readonly { domain: string; sent: number; deferred: number; bounced: number }[] = [
  { domain: "gmail.com", sent: 1_800, deferred: 9, bounced: 4 },
  { domain: "hotmail.co.uk", sent: 600, deferred: 14, bounced: 3 },
  { domain: "yahoo.de", sent: 420, deferred: 6, bounced: 2 },
  { domain: "icloud.com", sent: 300, deferred: 2, bounced: 1 },
  { domain: "donaudampfschifffahrtselektrizitaetenhauptbetriebswerk.example", sent: 90, deferred: 1, bounced: 0 },
];
/** Days ago of the troubles. */
export const PLANTED = { listedFrom: 6, brokenDkim: 17, complaintPeak: 11 } as const;
const LISTED =
  "550 5.7.1 Unfortunately, messages from [192.0.2.25] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150). You can also refer your provider to http://mail.live.com/mail/troubleshooting.aspx#errors.";
const SLOW =
  "421 4.7.0 [TSS04] Messages from 192.0.2.25 temporarily deferred due to unexpected volume or user complaints";

/**
 * Writes 30 days of counts, replies and DMARC reports: Outlook blocks the sender from the seventh last day on, DKIM is broken for a day,
 * and complaints at Yahoo peak on a day. `now` in ms since 1970.
 */
export async function writeMonth(
  db: Pick<D1Database, "prepare" | "batch">,
  sender: Sender,
  now: number,
): Promise<void> {
  const today = dayOf(now);
  const days = Array.from({ length: 30 }, (_, ago) => ago);
  const counts = days.flatMap((ago) => RECEIVERS.map((receiver) => countsOf(receiver, ago)));
  const reports = days.slice(1).flatMap((ago) => reportsOf(ago));
  const emails = days.flatMap((ago) => emailsOf(ago));
  const { workspaceNumber, domainId, domain, mailboxId } = sender;
  const rows = (table: string, time: string) => `
    INSERT INTO ${table} (workspace, ${time}, domain, sent, delivered, bounced, soft_bounced, deferred, complained)
    SELECT ?1, (?2 - (value->>'ago')) * ${time === "hour" ? 24 : 1}, value->>'domain', value->>'sent', value->>'delivered', value->>'bounced',
           value->>'soft', value->>'deferred', value->>'complained' FROM json_each(?3)`;
  await db.batch([
    // The job that sums days reads the hours, and writes the same.
    ...[rows("rollups_hourly", "hour"), rows("rollups_daily", "day")].map((sql) =>
      db.prepare(sql).bind(workspaceNumber, today, JSON.stringify(counts)),
    ),
    db
      .prepare(
        `INSERT INTO dmarc_sources (workspace, day, domain_id, source, aligned, disposition, messages)
         SELECT ?1, ?2 - (value->>'ago'), ?3, value->>'source', value->>'aligned', 'none', value->>'messages' FROM json_each(?4)`,
      )
      .bind(workspaceNumber, today, domainId, JSON.stringify(reports)),
    db
      .prepare(
        `INSERT INTO domain_reports (workspace, day, domain_id, kind, organization, report_id, id, received_at)
         SELECT ?1, ?2, ?3, 'dmarc', value, value, value, ?4 FROM json_each('["google.com","Yahoo","Outlook.com"]')`,
      )
      .bind(workspaceNumber, today - 1, domainId, now),
    db
      .prepare(
        `INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, recipients, events,
           content_offset, content_size, created_at)
         SELECT ?1, substr(value->>'id', 1, 13) || printf('-7000-8000-%012x', ?1 * 4096 + key), value->>'status', 'api', ?2, ?3, 'news@' || ?4, '<x@y>',
           'News', value->>'recipients', value->>'events', 0, 0, value->>'at' FROM json_each(?5)`,
      )
      .bind(
        ...[workspaceNumber, domainId, mailboxId, domain],
        JSON.stringify(emails.map((email) => ({ ...email, ...timesOf(email, now) }))),
      ),
  ]);
}

function countsOf({ domain, sent, deferred, bounced }: (typeof RECEIVERS)[number], ago: number) {
  const soft = domain.startsWith("hotmail") && ago <= PLANTED.listedFrom ? 140 : 0;
  const complained = domain.startsWith("yahoo") && ago === PLANTED.complaintPeak ? 9 : 0;
  return { ago, domain, sent, delivered: sent - bounced - soft, bounced, soft, deferred, complained };
}

function reportsOf(ago: number) {
  const own = { ago, source: "192.0.2.25" };
  if (ago === PLANTED.brokenDkim) return [{ ...own, aligned: 2, messages: 2_610 }];
  return [
    { ...own, aligned: 3, messages: 2_590 },
    { ...own, aligned: 2, messages: 2 },
    { ago, source: "198.51.100.80", aligned: 0, messages: 11 },
  ];
}

/** Returns emails of a day that were refused or deferred. */
function emailsOf(ago: number) {
  const slow = { ago, type: "deferred", status: "delivered", recipient: `ada${ago}@yahoo.de`, response: SLOW };
  const listed = (n: number) => ({
    ...{ ago, type: "bounced", status: "bounced", recipient: `ada${ago}.${n}@hotmail.co.uk` },
    response: LISTED.replace("192.0.2.25", `192.0.2.${25 + n}`),
  });
  return [slow, ...(ago <= PLANTED.listedFrom ? Array.from({ length: 14 }, (_, n) => listed(n)) : [])];
}

function timesOf({ ago, type, status, recipient, response }: ReturnType<typeof emailsOf>[number], now: number) {
  const at = now - ago * DAY_MS - 60_000;
  const event = { id: "e", type, at, metadata: { recipient, response } };
  return {
    ...{ id: idOfTime(at, ""), at },
    recipients: JSON.stringify([{ kind: "to", email: recipient, state: status }]),
    events: JSON.stringify([0, event]),
  };
}
