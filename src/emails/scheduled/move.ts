import type { CallerCtx } from "../../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../db/batch.ts";
import { mailDb } from "../../db/client.ts";
import { notFound } from "../../errors.ts";
import { isUuid } from "../../lib/ids.ts";
import type { EventEntry } from "../timeline/index.ts";
import { changeStatement } from "../timeline/index.ts";

/** How a scheduled email is changed. */
export interface Move {
  /** Assignments of UPDATE emails, `?3` being `at`. */
  set: string;
  /** A statement on its row of the outbox, which is `(due_at, id)` of WAITING; `?3` is `at`. */
  outboxChange: "DELETE FROM outbox WHERE" | "UPDATE outbox SET due_at = ?3 WHERE";
  /** A moment in milliseconds, for both. */
  at: number;
  event: EventEntry;
}

// One that shares its work with others is not scheduled by itself: such an email is never found here. Nor is one that
// an earlier try has changed already: what still waits after a change of time would have it twice.
const WAITING = `workspace = ?1 AND id = ?2 AND status = 'scheduled' AND outbox_id IS NULL
  AND (?4 IS NULL OR domain_id IN (SELECT value FROM json_each(?4)))
  AND NOT EXISTS (SELECT 1 FROM json_each(events) v WHERE v.value->>'id' = ?5)`;

/** Tries of the batch when the database does not say whether it committed. */
const TRIES = 3;

/**
 * Changes an email that is scheduled, with its event, its work and its change row, in one transaction. Whoever comes
 * after the release, or after another move that ended the waiting, finds nothing: 404, as for any unknown id.
 */
export async function moveScheduled(
  ctx: CallerCtx,
  id: string,
  { set, outboxChange: work, at, event }: Move,
): Promise<void> {
  if (!isUuid(id)) throw notFound("Email");
  const { db, workspace, actor } = ctx;
  const domains = actor.domainIds && JSON.stringify([...actor.domainIds]);
  const statements = [
    db
      .prepare(`${work} (due_at, id) IN (SELECT due_at, id FROM emails WHERE ${WAITING}) AND ?3 IS NOT NULL`)
      .bind(workspace.number, id, at, domains, event.id),
    expectChanges(db, 1),
    db
      .prepare(
        `UPDATE emails SET ${set}, version = version + 1, events = json_insert(events, '$[#]', json(?6)) WHERE ${WAITING}`,
      )
      .bind(workspace.number, id, at, domains, event.id, JSON.stringify(event)),
    expectChanges(db, 1),
    changeStatement(ctx, workspace.number, JSON.stringify([id])),
  ];
  for (let tries = 1; ; tries++) {
    try {
      await guardedBatch(mailDb(ctx), statements);
      return;
    } catch (error) {
      if (error instanceof ConcurrencyError) {
        if (tries > 1 && (await isDone(ctx, id, event))) return;
        throw notFound("Email");
      }
      if (tries === TRIES) throw error;
      ctx.log("scheduled.retried", { error: String(error) });
    }
  }
}

/** Whether an earlier try did it after all: its event is there. */
async function isDone(ctx: CallerCtx, id: string, event: EventEntry): Promise<boolean> {
  const found = await mailDb(ctx)
    .prepare(
      "SELECT 1 FROM emails e, json_each(e.events) v WHERE e.workspace = ?1 AND e.id = ?2 AND v.value->>'id' = ?3",
    )
    .bind(ctx.workspace.number, id, event.id)
    .first();
  return found !== null;
}
