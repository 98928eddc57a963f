import { addressKey } from "../../lib/addresses.ts";
import type { Ctx, MailCtx, WakeUp } from "../../platform/context.ts";
import { leaveStatements, type NextRow, nextRowsStatement } from "../../platform/outbox/lease.ts";
import { isSettled, noteOutcomes, retryAfterOutageStatement } from "../delivery/index.ts";
import { applyFacts, type EmailState, type Fact } from "../emails/index.ts";
import { domainOf, receiverDomainsStatement, receiverVolumeStatement } from "../receivers/index.ts";
import { findSoftBouncesStatement, type WorkspaceAddress } from "../suppressions/index.ts";
import { moveContents } from "./move-contents.ts";
import { type ReportedUpdate, toFacts } from "./to-facts.ts";
import type { KnownReport } from "./types.ts";

interface Update
  extends Pick<KnownReport, "state" | "ticket" | "requestId" | "isLeased">,
    Omit<ReportedUpdate, "nextAt"> {
  /** When recipients that are left are tried again, in ms since 1970. */
  dueAt: number;
}

/** Writes reports about emails of one mail database, each of another email, in one transaction. */
export async function writeReports(ctx: MailCtx, reports: readonly KnownReport[], address: string): Promise<void> {
  const now = ctx.now();
  const [softBounced, places] = await Promise.all([noteReceivers(ctx, reports, address), moveContents(ctx, reports)]);
  const updates = await toUpdates(reports, softBounced, now);
  const byNumber = new Map(updates.map((update) => [update.state.n, update]));
  const own = updates.filter(({ ticket }) => !ticket.isOther);
  const isAccepted = own.some(({ facts }) => facts.some(({ on }) => on === "accepted-final"));
  const toWrite = updates.map(({ state, facts, ticket: { attempt }, isLeased, dueAt }) => {
    const next = isLeased ? { next: dueAt } : {};
    return { state, facts, attempt, ...next, moved: places.get(state.n) };
  });
  let next: NextRow[] = [];
  const { results } = await applyFacts(ctx, toWrite, (states) => {
    const leaving = states.flatMap((state) => leavingOf(state, byNumber.get(state.n)));
    next = leaving.flatMap(({ state, update }) => (state.status === "queued" ? [nextRowOf(state, update)] : []));
    const left = leaving.map(({ update: { ticket } }) => ticket);
    return {
      before: next.length > 0 ? [nextRowsStatement(ctx, next)] : [],
      after: [...(isAccepted ? [retryAfterOutageStatement(ctx)] : []), ...leaveStatements(ctx, left)],
    };
  });
  const outcomes = updates.map(({ state, requestId, facts }) => ({ mail: { state, requestId }, facts }));
  noteOutcomes(ctx, outcomes);
  await wakeDue(ctx, next, now);
  const retried = isAccepted ? ((results[0]?.results ?? []) as WakeUp[]) : [];
  if (retried.length > 0) await ctx.wake(retried, 2);
}

function toUpdates(reports: readonly KnownReport[], softBounced: ReadonlySet<string>, now: number): Promise<Update[]> {
  const random = Math.random();
  return Promise.all(
    reports.map(async ({ outcome, content: _, workspaceId: __, ...report }) => {
      const { facts, nextAt, givenBack } = await toFacts(outcome, { ...report, now, random });
      const isAfterSoftBounces = ({ on, recipient }: Fact) =>
        on === "accepted-final" && softBounced.has(`${report.state.workspace} ${recipient}`);
      return {
        ...report,
        facts: facts.map((fact) => (isAfterSoftBounces(fact) ? { ...fact, isAfterSoftBounces: true as const } : fact)),
        givenBack,
        dueAt: nextAt,
      };
    }),
  );
}

/** Returns an email that leaves its row, in its new state, or none. */
const leavingOf = (state: EmailState, update: Update | undefined) =>
  update?.isLeased && isSettled(state, update.ticket, update.givenBack) ? [{ state, update }] : [];

/** Returns the row of the next attempt of an email. */
function nextRowOf({ id, n }: EmailState, { dueAt, ticket: { row, token, isRepeated } }: Update): NextRow {
  return { id, ref: JSON.stringify([n]), from: row, token, dueAt, claims: isRepeated ? 1 : 0, outage: null };
}

/** Wakes a run for emails that are to be tried again at once. */
async function wakeDue(ctx: MailCtx, next: readonly NextRow[], now: number): Promise<void> {
  const rows = next.flatMap(({ dueAt, id }): WakeUp[] => (dueAt <= now ? [{ dueAt, id, kind: "deliver" }] : []));
  if (rows.length > 0) await ctx.wake(rows);
}

/**
 * Keeps in the main database what reports tell about receivers: their domains, and the emails that they have accepted from a
 * source address. Returns which addresses that accepted an email have had soft bounces, as `workspace
 * address`. One D1 batch. A report that is repeated counts again for the volume, which makes a warm-up slower and never faster.
 */
async function noteReceivers(ctx: Ctx, reports: readonly KnownReport[], address: string): Promise<ReadonlySet<string>> {
  const accepted: WorkspaceAddress[] = [];
  const domains: { domain: string; receiver: string }[] = [];
  const volume = new Map<string, number>();
  for (const { outcome, state } of reports)
    for (const { address: recipient, result } of outcome.recipients) {
      const receiver = "receiver" in result ? result.receiver : undefined;
      if (receiver !== undefined) domains.push({ domain: domainOf(recipient), receiver });
      if (result.kind !== "accepted") continue;
      accepted.push({ workspace: state.workspace, email: addressKey(recipient) });
      if (receiver !== undefined) volume.set(receiver, (volume.get(receiver) ?? 0) + 1);
    }
  const statements = [
    ...(accepted.length > 0 ? [findSoftBouncesStatement(ctx, accepted)] : []),
    ...(domains.length > 0 ? [receiverDomainsStatement(ctx, domains)] : []),
    ...(volume.size > 0 ? [receiverVolumeStatement(ctx, address, volume)] : []),
  ];
  if (statements.length === 0) return new Set();
  const [found = []] = await ctx.db.listEach<WorkspaceAddress[]>(statements);
  const bounced = accepted.length > 0 ? found : [];
  return new Set(bounced.map(({ workspace, email }) => `${workspace} ${email}`));
}
