import type { CallerCtx } from "../../../access/caller.ts";
import { AppError, notFound } from "../../../lib/errors.ts";
import { isUuid } from "../../../lib/ids.ts";
import type { MailStatement } from "../../../platform/context.ts";
import { ConcurrencyError, expectChanges, repeatableBatch } from "../../../platform/db/batch.ts";
import { getEmail } from "../queries.ts";
import { limits } from "../rules.ts";
import { appendEventSql, changeStatement, type EventEntry, readEvents } from "../timeline/index.ts";

/** A change of a scheduled email and of its outbox row. */
export interface ScheduledChange {
  /** Assignments of UPDATE emails; `?3` is `dueAt`. */
  set: string;
  /** When its outbox row is due, in milliseconds since 1970; null: the row is deleted. */
  dueAt: number | null;
  event: EventEntry;
  /** Statements that run in the same transaction. */
  also?: MailStatement[];
  /** SQL of a condition on the email, for both statements. */
  condition?: string;
  /** Past participle of the change, for the message of a 404: "cancelled", "rescheduled", "sent now". */
  action: string;
}

// A scheduled email has an outbox row of its own, so outbox_id is null. The check of the event id keeps a retry of an
// ambiguous commit from applying the change twice.
const IS_SCHEDULED = `workspace = ?1 AND id = ?2 AND status = 'scheduled' AND outbox_id IS NULL
  AND (?4 IS NULL OR domain_id IN (SELECT value FROM json_each(?4)))
  AND NOT EXISTS (SELECT 1 FROM json_each(events) v WHERE v.value->>'id' = ?5)`;

/**
 * Changes a scheduled email, its outbox row, events and change row in one transaction. `id` is in lower case. Throws 404
 * when the email is unknown or not scheduled, 409 when `condition` is not met by a scheduled one that was moved `limits.moves` times.
 */
export async function changeScheduled(
  ctx: CallerCtx,
  id: string,
  { set, dueAt, event, also = [], condition = "TRUE", action }: ScheduledChange,
): Promise<void> {
  if (!isUuid(id)) throw notFound("Email");
  const { workspace, actor } = ctx;
  const db = ctx.mail;
  const isScheduled = `${IS_SCHEDULED} AND ${condition}`;
  const domains = actor.domainIds && JSON.stringify([...actor.domainIds]);
  const ofRow = (change: string) =>
    db
      .prepare(`${change} WHERE id = (SELECT id FROM emails WHERE ${isScheduled}) AND ?3 IS ?3`)
      .bind(workspace.number, id, dueAt, domains, event.id);
  const statements = [
    // The row of one that is to be cancelled may be set aside.
    ...(dueAt === null
      ? [ofRow("DELETE FROM outbox"), ofRow("DELETE FROM quarantine")]
      : [ofRow("UPDATE outbox SET due_at = ?3"), expectChanges(db, 1)]),
    db
      .prepare(
        `UPDATE emails SET ${set}, version = version + 1, events = ${appendEventSql("json(?6)")} WHERE ${isScheduled}`,
      )
      .bind(workspace.number, id, dueAt, domains, event.id, JSON.stringify(event)),
    expectChanges(db, 1),
    changeStatement(ctx, [{ workspace: workspace.number, id }]),
    ...also,
  ];
  try {
    await repeatableBatch(
      ctx,
      ctx.mail,
      statements,
      async (error) => error instanceof ConcurrencyError && (await hasEvent(ctx, id, event)),
    );
  } catch (error) {
    throw error instanceof ConcurrencyError ? await refusal(ctx, id, action) : error;
  }
}

/** Returns the 404 for an email that is not scheduled, which names the status when the caller may see the email; or the 409. */
async function refusal(ctx: CallerCtx, id: string, action: string): Promise<AppError> {
  const row = await getEmail(ctx, id);
  const { status } = row;
  const times = readEvents(row.events, row).filter(({ type }) => type === "scheduled").length;
  if (status === "scheduled" && times > limits.moves)
    return new AppError(409, `This email was rescheduled ${limits.moves} times; the limit is ${limits.moves}`);
  if (status === "scheduled") return notFound("Scheduled email");
  return new AppError(404, `This email is ${status}; only a scheduled email can be ${action}`);
}

/** Returns whether the email has the event, which an earlier try wrote if it committed. */
async function hasEvent(ctx: CallerCtx, id: string, event: EventEntry): Promise<boolean> {
  const found = await ctx.mail.findRow(
    "SELECT 1 FROM emails e, json_each(e.events) v WHERE e.workspace = ?1 AND e.id = ?2 AND v.value->>'id' = ?3",
    ctx.workspace.number,
    id,
    event.id,
  );
  return found !== null;
}
