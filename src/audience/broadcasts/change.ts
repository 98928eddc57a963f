import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { checkJsonSize } from "../../lib/json-size.ts";
import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { UNLEASED } from "../../platform/outbox/lease.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { requireSendingAllowed } from "../../sending/emails/index.ts";
import { parseFanOut } from "./fan-out.ts";
import { type Broadcast, type BroadcastRow, getBroadcast, toRecord } from "./queries.ts";
import { type BroadcastEvent, type BroadcastStatus, limits, statusAfter } from "./rules.ts";
import type { BroadcastOut } from "./schema.ts";

/** Columns that calls change. */
export type BroadcastChanges = Partial<
  Omit<BroadcastRow, "n" | "workspace" | "id" | "version" | "user_id" | "created_at">
>;

/** The changes of a call to a broadcast: columns, and statements that run in the same transaction. */
export interface Change {
  changes: BroadcastChanges;
  statements?: MailStatement[];
}

const MAX_ATTEMPTS = 5;

/**
 * Changes a broadcast as `decide` says for its current state, and stores the response of the request. When another call
 * changed the broadcast meanwhile, it is read and decided again. `decide` returns null to change nothing, or throws.
 * Throws 404, 413 when the broadcast becomes too large, ConcurrencyError when other calls keep changing it.
 */
export async function changeBroadcast(
  ctx: CallerCtx,
  id: string,
  decide: (broadcast: Broadcast) => Change | null | Promise<Change | null>,
): Promise<BroadcastOut> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const broadcast = await getBroadcast(ctx, id);
    const change = await decide(broadcast);
    if (change === null) return toRecord(ctx.workspace.id, broadcast);
    const { response, size } = toChanged(ctx, broadcast, change.changes);
    try {
      await guardedBatch(ctx.mail, [
        updateStatement(ctx, broadcast.row, { ...change.changes, size }),
        expectChanges(ctx.mail, 1),
        ...(change.statements ?? []),
        ...(await storeMailResponse(ctx, response)),
      ]);
      return response;
    } catch (error) {
      if (!(error instanceof ConcurrencyError)) throw error;
    }
  }
  throw new ConcurrencyError();
}

/** Changes a broadcast as `decide` says, which gives it a new fan-out, and starts that after the response. Throws as `changeBroadcast` does. */
export async function startFanOut(
  ctx: CallerCtx,
  id: string,
  decide: (broadcast: Broadcast) => Promise<BroadcastChanges>,
): Promise<BroadcastOut> {
  requireSendingAllowed(ctx, "broadcast");
  const dueAt = ctx.now();
  const response = await changeBroadcast(ctx, id, async (broadcast) => ({
    changes: { ...(await decide(broadcast)), fan_out_step: broadcast.row.fan_out_step + 1 },
    // That of an automatic promotion, if it has one.
    statements: [outboxRowStatement(ctx, broadcast.row, dueAt)],
  }));
  await wakeAfterResponse(ctx, [{ dueAt, id: response.id, kind: "broadcast" }]);
  return response;
}

function toChanged(ctx: CallerCtx, { row, fanOut, counts }: Broadcast, changes: BroadcastChanges) {
  const changed = { ...row, ...changes, updated_at: ctx.now() };
  const response = toRecord(ctx.workspace.id, {
    row: changed,
    fanOut: changes.fan_out ? parseFanOut(changes.fan_out) : fanOut,
    counts,
  });
  return { response, size: checkSize(response) };
}

/** Returns the size of a broadcast or variant as JSON, in bytes. Throws 413 when it is too large. */
export const checkSize = (record: object): number =>
  checkJsonSize(JSON.stringify(record), limits.contentBytes, "content");

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Returns the fields of a patch that are given; null is a value. */
export const givenIn = <Fields extends object>(patch: Fields) =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Given<Fields>;

/** Returns the status after an event. Throws 409 when the broadcast refuses it in its status. */
export function requireTransition({ row }: Broadcast, on: BroadcastEvent): BroadcastStatus {
  const status = statusAfter(row.status, on);
  if (status === null) throw conflict(`A broadcast that is ${row.status} cannot be ${past[on]}`);
  return status;
}

const past: Readonly<Record<BroadcastEvent, string>> = {
  edit: "changed",
  schedule: "scheduled",
  unschedule: "unscheduled",
  send: "sent",
  cancel: "cancelled",
  pause: "paused",
  resume: "resumed",
  complete: "completed",
  promote: "promoted",
};

/** Returns the update of these columns, which changes no row when another call changed the broadcast since it was read. */
export function updateStatement(ctx: MailCtx, { n, version }: BroadcastRow, given: BroadcastChanges): MailStatement {
  const changes = { ...given, updated_at: ctx.now() };
  const assignments = Object.keys(changes).map((name, index) => `${name} = ?${index + 3}`);
  return ctx.mail
    .prepare(`UPDATE broadcasts SET version = version + 1, ${assignments.join(", ")} WHERE n = ?1 AND version = ?2`)
    .bind(n, version, ...Object.values(changes));
}

const SET_ROW = `
  INSERT INTO outbox (due_at, id, kind, ref, workspace) VALUES (?1, ?2, 'broadcast', ?3, ?4)
  ON CONFLICT DO UPDATE SET due_at = excluded.due_at, kind = excluded.kind, ref = excluded.ref, claims = 0, ${UNLEASED}`;

/**
 * Returns the statement that makes the outbox row of a broadcast due at `dueAt`, for its fan-out or its start; null: that deletes the row. A
 * run that works on it has lost its lease then, and does not end the row.
 */
export function outboxRowStatement(
  ctx: MailCtx,
  { n, id, workspace }: Pick<BroadcastRow, "n" | "id" | "workspace">,
  dueAt: number | null,
): MailStatement {
  if (dueAt === null) return ctx.mail.prepare("DELETE FROM outbox WHERE id = ?1").bind(id);
  return ctx.mail.prepare(SET_ROW).bind(dueAt, id, JSON.stringify([n]), workspace);
}
