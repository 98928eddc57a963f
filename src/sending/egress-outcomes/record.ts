import type { ReportedOutcome } from "../../mail/egress-tickets/report.ts";
import { readTicket } from "../../mail/egress-tickets/ticket.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { onShard, shardNumbers } from "../../platform/jobs/shards.ts";
import { attemptApart } from "../../platform/outbox/halves.ts";
import { EMAIL_STATE_COLUMNS, type EmailStateRow, toState } from "../emails/index.ts";
import type { KnownReport, Report } from "./types.ts";
import { writeReports } from "./write-reports.ts";

/** Outcomes of one call: a flush of applyFacts, with one call of each database that has emails among them. */
export const MAX_OUTCOMES = 100;

/**
 * Records what an egress reports about emails that it holds, at most MAX_OUTCOMES. `address` is its source address. May be repeated any number of times, also after
 * the lease was lost: what a receiver has said for good counts, and all else needs the lease. Returns the tickets whose lease is not
 * held any more. Throws when a database could not be written; then the same report is to be sent again.
 */
export async function recordOutcomes(
  ctx: Ctx,
  address: string,
  outcomes: readonly ReportedOutcome[],
): Promise<{ lost: string[] }> {
  const reports = outcomes.flatMap((outcome): Report[] => {
    const ticket = readTicket(outcome.ticket);
    return ticket ? [{ ticket, outcome }] : [];
  });
  const shards = shardNumbers(ctx);
  const known = reports.filter(({ ticket }) => shards.includes(ticket.shard));
  const groups = [...Map.groupBy(known, ({ ticket }) => ticket.shard)];
  const held = new Set<string>();
  await Promise.all(
    groups.map(async ([shard, group]) => {
      for (const ticket of await recordOnShard(onShard(ctx, shard), group, address)) held.add(ticket);
    }),
  );
  return { lost: outcomes.map(({ ticket }) => ticket).filter((ticket) => !held.has(ticket)) };
}

interface FoundRow extends EmailStateRow {
  request_id: string | null;
  workspace_id: string;
  content: string | null;
}

const FIND_EMAILS = `
  SELECT ${EMAIL_STATE_COLUMNS}, e.request_id, w.id AS workspace_id, iif(e.content_key IS NULL, e.content, NULL) AS content
    FROM json_each(?1) j CROSS JOIN emails e ON e.n = j.value CROSS JOIN shard_workspaces w ON w.number = e.workspace`;

/** Finds the rows of tickets, in a JSON array, whose lease is still held: tokens. */
const FIND_LEASED = `
  SELECT o.token, o.id AS row FROM json_each(?1) j CROSS JOIN outbox o ON o.id = j.value->>'row' AND o.token = j.value->>'token'`;

/** Records the outcomes of one mail database. Returns the tickets whose lease was held. */
async function recordOnShard(ctx: MailCtx, reports: readonly Report[], address: string): Promise<string[]> {
  const db = ctx.mail;
  const numbers = [...new Set(reports.map(({ ticket }) => ticket.n))];
  const leases = new Set(reports.map(({ ticket: { row, token } }) => JSON.stringify({ row, token })));
  const [found, leased] = await db.listEach<[FoundRow, { token: string; row: string }]>([
    db.prepare(FIND_EMAILS).bind(JSON.stringify(numbers)),
    db.prepare(FIND_LEASED).bind(`[${[...leases].join()}]`),
  ]);
  const rows = new Map(found.map((row) => [row.n, row]));
  const held = new Set(leased.map((one) => `${one.row} ${one.token}`));
  const isHeld = ({ ticket }: Report) => held.has(`${ticket.row} ${ticket.token}`);
  // Such a report is taken as told: its email is tried again, or set aside, once its lease has ended.
  const leave = ({ ticket: { email } }: Report, error: unknown) =>
    ctx.log("egress.report.unwritten", { email, error: String(error) });
  const about = reports.flatMap((report) => {
    const row = rows.get(report.ticket.n);
    // The number of a deleted email may have been given again.
    if (row?.id !== report.ticket.email) return [];
    const { request_id: requestId, workspace_id: workspaceId, content } = row;
    try {
      return [{ ...report, state: toState(row), requestId, workspaceId, content, isLeased: isHeld(report) }];
    } catch (error) {
      leave(report, error);
      return [];
    }
  });
  const write = (group: readonly KnownReport[]) => writeReports(ctx, group, address);
  for (const group of groupsToWrite(about)) await attemptApart(group, write, leave);
  return reports.filter(isHeld).map(({ outcome }) => outcome.ticket);
}

/** Bytes of the states of emails of one write: half of the 2,000,000 of a bound parameter of D1 (platform limits). */
const WRITE_BYTES = 900_000;

/**
 * Returns the reports in groups that one statement may carry, one for each email: mostly all of them. An email to several people
 * has a report for each. Those of an earlier lease are apart from those of the present one, under which the email may be held.
 */
function groupsToWrite(reports: readonly KnownReport[]): KnownReport[][] {
  const groups: KnownReport[][] = [];
  let bytes = WRITE_BYTES;
  for (const [first, ...others] of Map.groupBy(reports, leaseOf).values()) {
    if (!first) continue;
    const recipients = [first, ...others].flatMap(({ outcome }) => outcome.recipients);
    bytes += 2 * (JSON.stringify(first.state).length + JSON.stringify(recipients).length);
    if (bytes > WRITE_BYTES || groups.at(-1)?.some(({ ticket }) => ticket.n === first.ticket.n)) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push({ ...first, outcome: { ...first.outcome, recipients } });
  }
  return groups;
}

const leaseOf = ({ ticket: { n, token } }: Report) => `${n} ${token}`;
