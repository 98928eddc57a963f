import { DAY_MS, dayOf, HOUR_MS } from "../../lib/time.ts";
import { firstIdAt } from "../../platform/audit/rules.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShard, shardSql } from "../../platform/jobs/shards.ts";
import { ofDomain } from "../reports/index.ts";
import type { DeliveryEvidence, ReportEvidence } from "./evidence.ts";

/** Days of reports and deliveries that are read. */
const DAYS = 7;
/** Emails of a workspace that bounced, and as many that failed, whose replies are read: the newest. */
const MAX_EMAILS = 300;
/** Replies that are read, and characters of each. */
const MAX_REPLIES = 300;
const MAX_CHARACTERS = 300;
/** Senders, and failures of TLS, that are read: those with the most messages that are not aligned, and connections. */
const MAX_LISTED = 20;

/** The workspace of a domain, and whether mailboxes of the domain here receive mail. */
export interface Surroundings {
  number: number;
  mailShard: number;
  receivesHere: boolean;
}

// A mailbox that only sends has no mail, no password and no user, and does not take all addresses.
const SURROUNDINGS = `
  SELECT w.number, ${shardSql("w")} AS mailShard, EXISTS (
    SELECT 1 FROM mailboxes m WHERE m.domain_id = ?2 AND m.is_active = 1 AND (
      m.used_bytes > 0 OR m.local_part = '*' OR EXISTS (SELECT 1 FROM mailbox_passwords p WHERE p.mailbox_id = m.id)
      OR EXISTS (SELECT 1 FROM app_passwords p WHERE p.mailbox_id = m.id)
      OR EXISTS (SELECT 1 FROM mailbox_assignees a WHERE a.mailbox_id = m.id)))
    OR EXISTS (SELECT 1 FROM mailbox_aliases a JOIN mailboxes m ON m.id = a.mailbox_id AND m.is_active = 1 WHERE a.domain_id = ?2) AS receivesHere
    FROM workspaces w WHERE w.number = ?1 AND w.deleted_at IS NULL`;

/** Returns the surroundings of a domain, or null when its workspace was deleted. One statement. */
export async function findSurroundings(
  ctx: Pick<Ctx, "db">,
  { id, workspace }: { id: string; workspace: number },
): Promise<Surroundings | null> {
  type Row = Omit<Surroundings, "receivesHere"> & { receivesHere: 0 | 1 };
  const row = await ctx.db.findRow<Row>(SURROUNDINGS, workspace, id);
  return row && { ...row, receivesHere: row.receivesHere === 1 };
}

// The newest of a status: the index of rare statuses has them by id.
const newest = (status: string) =>
  `SELECT * FROM (SELECT domain_id, recipients, events FROM emails
     WHERE workspace = ?2 AND status = '${status}' AND id >= ?4 ORDER BY id DESC LIMIT ${MAX_EMAILS})`;
const TEXT = "coalesce(e.value ->> '$.metadata.response', e.value ->> '$.metadata.reason')";

// One statement, since an invocation may make 1,000 and cron examines 200 domains. Days are sought one by one, so only rows of the
// domain are read.
const HISTORY = `
  SELECT
    (SELECT json_array(coalesce(sum(t.messages), 0), coalesce(sum(iif(t.aligned > 0, t.messages, 0)), 0)) FROM ${ofDomain("dmarc_sources")}) AS dmarc,
    (SELECT json_group_array(json_object('source', source, 'messages', messages, 'unaligned', unaligned)) FROM (
      SELECT t.source, sum(t.messages) AS messages, sum(iif(t.aligned > 0, 0, t.messages)) AS unaligned FROM ${ofDomain("dmarc_sources")}
       GROUP BY t.source HAVING unaligned > 0 ORDER BY unaligned DESC, t.source LIMIT ${MAX_LISTED})) AS sources,
    (SELECT json_group_array(json_array(failure, server, sessions)) FROM (
      SELECT t.failure, t.server, sum(t.sessions) AS sessions FROM ${ofDomain("tls_sessions")}
       GROUP BY t.failure, t.server ORDER BY t.failure <> '', sessions DESC, t.failure, t.server LIMIT ${MAX_LISTED})) AS tls,
    (SELECT json_group_array(json_array(recipient, response)) FROM (
      SELECT coalesce(e.value ->> '$.metadata.recipient', m.recipients ->> '$[0].email') AS recipient, substr(${TEXT}, 1, ${MAX_CHARACTERS}) AS response
        FROM (${newest("bounced")} UNION ALL ${newest("failed")}) m CROSS JOIN json_each(m.events) e
       WHERE m.domain_id = ?3 AND e.value ->> '$.type' IN ('bounced', 'failed')
         AND ${TEXT} IS NOT NULL LIMIT ${MAX_REPLIES})) AS replies,
    (SELECT json_array(coalesce(sum(sent + refused), 0), coalesce(sum(bounced), 0), coalesce(sum(complained), 0))
       FROM rollups_totals WHERE workspace = ?2 AND hour BETWEEN ?5 AND ?6) AS rates`;

type HistoryRow = Record<"dmarc" | "sources" | "tls" | "replies" | "rates", string>;

/** Sums of reports without the names of their servers, and what receivers did with mail. */
export interface History {
  reports: Omit<ReportEvidence, "unaligned"> & { unaligned: Omit<ReportEvidence["unaligned"][number], "name">[] };
  delivery: DeliveryEvidence;
}

/** Returns reports on a domain of the last seven days, replies that refused its mail, and counts of its workspace, by one statement. */
export async function readHistory(ctx: Ctx, { number, mailShard }: Surroundings, domainId: string): Promise<History> {
  const now = ctx.now();
  const [today, hour] = [dayOf(now), Math.floor(now / HOUR_MS)];
  const days = JSON.stringify(Array.from({ length: DAYS }, (_, n) => today - n));
  const since = firstIdAt(now - DAYS * DAY_MS);
  const values = [days, number, domainId, since, hour - DAYS * 24, hour];
  const row = await onShard(ctx, mailShard).mail.findRow<HistoryRow>(HISTORY, ...values);
  // A statement of aggregates always has a row.
  const read = <Value>(name: keyof HistoryRow) => JSON.parse(row?.[name] ?? "[]") as Value[];
  const [messages = 0, aligned = 0] = read<number>("dmarc");
  const [sent = 0, bounced = 0, complained = 0] = read<number>("rates");
  const tls = read<[string, string, number]>("tls");
  const failures = tls.flatMap(([failure, server, sessions]) =>
    failure === "" ? [] : [{ failure, server, sessions }],
  );
  return {
    reports: {
      days: DAYS,
      messages,
      aligned,
      unaligned: read<History["reports"]["unaligned"][number]>("sources"),
      tls: {
        sessions: tls.reduce((total, [, , sessions]) => total + sessions, 0),
        failed: failures.reduce((total, { sessions }) => total + sessions, 0),
        failures,
      },
    },
    delivery: {
      replies: read<[string, string]>("replies").map(([recipient, response]) => ({
        receiver: recipient.slice(recipient.lastIndexOf("@") + 1).toLowerCase(),
        response,
      })),
      sent,
      bounced,
      complained,
    },
  };
}
