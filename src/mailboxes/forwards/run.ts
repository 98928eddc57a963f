import type { MailCtx, MailStatement, WakeUp } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, repeatableBatch } from "../../platform/db/batch.ts";
import type { ClaimedRow } from "../../platform/outbox/claim.ts";
import { consumeRows } from "../../platform/outbox/consume-rows.ts";
import { finishStatement, type Lease, nextRowsStatement } from "../../platform/outbox/lease.ts";
import { type Egress, egressOf, type UnusableEgress, waitAfter } from "../../sending/delivery/index.ts";
import { appendEventStatement } from "../inbound-log/index.ts";
import { deliverCopy } from "./deliver-copy.ts";
import { EgressSession } from "./egress-session.ts";
import { postForward } from "./post-forward.ts";
import { sendForward } from "./send-forward.ts";
import { sendReply } from "./send-reply.ts";
import { type Forward, type ForwardResult, failed } from "./types.ts";

/** Forwards that one run makes; each holds an email of up to 25 MiB. */
const FORWARDS_PER_RUN = 20;
/** How often a forward that could not be tried is looked at again, and for how long, in ms (docs/contract/delivery.md#missing-egress). */
const WAIT_MS = 600_000;
const GIVE_UP_MS = 5 * 86_400_000;

const actions = { address: sendForward, mailbox: deliverCopy, webhook: postForward, reply: sendReply } as const;

/**
 * Makes forwards and automatic replies. A row is deleted in the batch that writes its result to the inbound log, so a crash repeats at most
 * the attempt that was running. Throws when a step failed: the lease then expires and the next sweep finds the row.
 */
export async function runForwards(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  egress: Egress | UnusableEgress = egressOf(ctx.settings),
): Promise<void> {
  const session = new EgressSession(egress);
  try {
    await consumeRows(
      ctx,
      wakeUps,
      async (row, lease) => {
        const forward = JSON.parse(row.ref) as Forward;
        const result = await actions[forward.action](ctx, { id: row.id, forward }, session);
        await saveResult(ctx, { lease, row, forward }, result);
        return "ended";
      },
      (started) => started < FORWARDS_PER_RUN,
    );
  } finally {
    await session.close();
  }
}

interface Claimed {
  lease: Lease;
  row: ClaimedRow;
  forward: Forward;
}

/**
 * Writes the result, or a row for the next attempt, and deletes the row. Repeated when D1 fails: an email that was sent would be
 * sent again otherwise. A run that has lost its lease writes the event only.
 */
async function saveResult(ctx: MailCtx, { lease, row, forward }: Claimed, result: ForwardResult): Promise<void> {
  const next = result.kind === "later" ? nextAttempt(ctx, forward, result.isAttempt) : null;
  const final = result.kind === "later" ? failed(result.reason) : result;
  const { workspace, inbound, rule, filter, index, target } = forward;
  const metadata = { ...(rule ? { rule_id: rule } : {}), ...(filter ? { filter_id: filter } : {}), target };
  const events: MailStatement[] = [];
  if (!next && final.kind === "done") {
    const event = { event: final.event, at: ctx.now(), ...metadata, ...final.metadata, index };
    events.push(appendEventStatement(ctx, { workspace, id: inbound }, event));
  }
  const db = ctx.mail;
  const { id } = row;
  const end = next
    ? nextRowsStatement(ctx, [{ ...next, id, from: id, token: lease.token, claims: 0, outage: null }])
    : finishStatement(ctx, lease, [id]);
  const statements = [...events, end, expectChanges(db, 1)];
  try {
    await repeatableBatch(ctx, db, statements, (error) => error instanceof ConcurrencyError);
  } catch (error) {
    if (!(error instanceof ConcurrencyError)) throw error;
    if (events.length > 0) await db.batch(events);
  }
}

/** Returns the row of the next attempt; null after the last. */
function nextAttempt(ctx: MailCtx, forward: Forward, isAttempt: boolean): { dueAt: number; ref: string } | null {
  const now = ctx.now();
  const attempts = forward.attempts + (isAttempt ? 1 : 0);
  const wait = isAttempt ? waitAfter(attempts, Math.random()) : WAIT_MS;
  if (wait === null || (!isAttempt && now - forward.receivedAt > GIVE_UP_MS)) return null;
  return { dueAt: now + wait, ref: JSON.stringify({ ...forward, attempts }) };
}
