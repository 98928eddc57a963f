import type { CallerCtx } from "../../access/caller.ts";
import { utf8Length } from "../../lib/bytes.ts";
import { conflict, tooLarge } from "../../lib/errors.ts";
import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { parseFanOut } from "./fan-out.ts";
import { type Broadcast, type BroadcastRow, getBroadcast } from "./queries.ts";
import { type BroadcastEvent, type BroadcastStatus, limits, statusAfter } from "./rules.ts";
import type { BroadcastOut } from "./schema.ts";
import { toRecord } from "./serialize.ts";

/** Columns that calls change. */
export type BroadcastChanges = Partial<
  Pick<
    BroadcastRow,
    | "status"
    | "contact_list_id"
    | "more_lists"
    | "topic_id"
    | "segment_id"
    | "mailbox_id"
    | "name"
    | "language"
    | "subject"
    | "preheader"
    | "from_address"
    | "from_domain"
    | "reply_to"
    | "scheduled_at"
    | "ab_test_pct"
    | "ab_winner_variant_id"
    | "ab_promoted_at"
    | "ab_auto_promote"
    | "max_per_hour"
    | "paused_at"
    | "fan_out"
    | "fan_out_step"
    | "html_body"
    | "text_body"
  >
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
        updateStatement(ctx, broadcast.row, { ...change.changes, size, updated_at: ctx.now() }),
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
export function checkSize(record: object): number {
  const size = utf8Length(JSON.stringify(record));
  if (size <= limits.contentBytes) return size;
  const [actual, limit] = [size, limits.contentBytes].map((bytes) => bytes.toLocaleString("en"));
  throw tooLarge(`The content is ${actual} bytes as JSON; the limit is ${limit}`);
}

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
function updateStatement(
  ctx: MailCtx,
  { n, version }: BroadcastRow,
  changes: BroadcastChanges & { size: number; updated_at: number },
): MailStatement {
  const names = Object.keys(changes);
  const assignments = names.map((name, index) => `${name} = ?${index + 3}`);
  return ctx.mail
    .prepare(`UPDATE broadcasts SET version = version + 1, ${assignments.join(", ")} WHERE n = ?1 AND version = ?2`)
    .bind(n, version, ...Object.values(changes));
}

/** Returns the statement that adds the outbox row of a broadcast: its fan-out, or its start at `dueAt`. */
export function insertOutboxRowStatement(ctx: MailCtx, { n, id }: Pick<BroadcastRow, "n" | "id">, dueAt: number) {
  return ctx.mail
    .prepare("INSERT OR IGNORE INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, 'broadcast', ?3)")
    .bind(dueAt, id, JSON.stringify([n]));
}

/** Returns the statement that deletes the outbox row of a broadcast that is due at a time. A claimed one finds nothing to do. */
export function deleteOutboxRowStatement(ctx: MailCtx, { id }: Pick<BroadcastRow, "id">, dueAt: number | null) {
  return ctx.mail.prepare("DELETE FROM outbox WHERE due_at = ?1 AND id = ?2").bind(dueAt, id);
}
