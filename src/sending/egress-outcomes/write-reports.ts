import type { MailCtx, WakeUp } from "../../platform/context.ts";
import {
  insertNextStatement,
  isSettled,
  type Leaving,
  leaveStatements,
  noteOutcomes,
  retryAfterOutageStatement,
} from "../delivery/index.ts";
import { applyFacts, type EmailState, type Fact } from "../emails/index.ts";
import { moveContents } from "./move-contents.ts";
import { noteReceivers } from "./note-receivers.ts";
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
  const isAccepted = updates.some(
    ({ facts, ticket }) => !ticket.isOther && facts.some(({ on }) => on === "accepted-final"),
  );
  const toWrite = updates.map(({ state, facts, ticket: { attempt }, isLeased, dueAt }) => {
    const next = isLeased ? { next: { dueAt, outboxId: null } } : {};
    return { state, facts, attempt, ...next, moved: places.get(state.n) };
  });
  let next: Leaving[] = [];
  const { results } = await applyFacts(ctx, toWrite, (states) => {
    const leaving = states.flatMap((state) => leavingOf(state, byNumber.get(state.n)));
    next = leaving.filter(({ state }) => state.status === "queued");
    return {
      before: next.length > 0 ? [insertNextStatement(ctx, next)] : [],
      after: [
        ...(isAccepted ? [retryAfterOutageStatement(ctx)] : []),
        ...(leaving.length > 0 ? leaveStatements(ctx, leaving) : []),
      ],
    };
  });
  noteOutcomes(
    ctx,
    updates.map(({ state, requestId, facts }) => ({ mail: { state, requestId }, facts })),
  );
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
        // The new row would have the key of the row that it leaves.
        dueAt: nextAt === report.ticket.until ? nextAt + 1 : nextAt,
      };
    }),
  );
}

/** Returns an email that leaves its row, in its new state, or none. */
function leavingOf(state: EmailState, update: Update | undefined): Leaving[] {
  if (!update?.isLeased || !isSettled(state, update.ticket, update.givenBack)) return [];
  return [{ ticket: update.ticket, state: { ...state, dueAt: update.dueAt } }];
}

/** Wakes a run for emails that are to be tried again at once. */
async function wakeDue(ctx: MailCtx, next: readonly Leaving[], now: number): Promise<void> {
  const due = next.filter(({ state }) => (state.dueAt ?? 0) <= now);
  const rows = due.map(({ state }): WakeUp => ({ dueAt: state.dueAt ?? now, id: state.id, kind: "deliver" }));
  if (rows.length > 0) await ctx.wake(rows);
}
