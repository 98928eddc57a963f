import type { CallerCtx } from "../../access/caller.ts";
import { conflict, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { MailStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { type AutomationRow, findAutomation, getAutomation, toAutomation } from "./queries.ts";
import { type Change, type Status, statusAfter } from "./rules.ts";
import type { AutomationOut } from "./schema.ts";

/** A change of an automation: columns of its row, and statements of the same transaction. */
export interface Changes {
  name?: string;
  status?: Status;
  definition?: string;
  size?: number;
  sweep?: "resume" | "end" | null;
  statements?: MailStatement[];
}

const MAX_ATTEMPTS = 5;

const UPDATE = `
  UPDATE automations SET edit = edit + 1, updated_at = ?3, name = coalesce(?4, name), status = coalesce(?5, status),
    definition = coalesce(?6, definition), size = coalesce(?7, size), sweep = iif(?8, ?9, sweep), sweep_after = iif(?8, 0, sweep_after),
    pause_reason = iif(?5 IS NULL, pause_reason, NULL)
   WHERE n = ?1 AND edit = ?2`;

/**
 * Changes an automation as `decide` says for its current state. When another call changed it meanwhile, it is read and decided again.
 * Throws 404, 409 for a status that does not allow the change, and ConcurrencyError when other calls keep changing it.
 */
export async function changeAutomation(
  ctx: CallerCtx,
  id: string,
  on: Change,
  decide: (ctx: CallerCtx, row: AutomationRow) => Promise<Changes> | Changes,
): Promise<AutomationOut> {
  const db = ctx.mail;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const row = await getAutomation(ctx, id);
    const status = requireTransition(row, on);
    const { statements = [], sweep, ...changes } = await decide(ctx, row);
    const next = status === row.status ? null : status;
    const values = [changes.name ?? null, next, changes.definition ?? null, changes.size ?? null];
    try {
      await guardedBatch(db, [
        db.prepare(UPDATE).bind(row.n, row.edit, ctx.now(), ...values, Number(sweep !== undefined), sweep ?? null),
        expectChanges(db, 1),
        ...statements,
      ]);
      const changed = requireFound(await findAutomation(ctx, ctx.workspace.number, parseUuid(id) ?? ""), "Automation");
      return toAutomation(changed);
    } catch (error) {
      if (!(error instanceof ConcurrencyError)) throw error;
    }
  }
  throw new ConcurrencyError();
}

const past: Readonly<Record<Change, string>> = {
  edit: "changed",
  activate: "activated",
  pause: "paused",
  archive: "archived",
};

function requireTransition({ status }: AutomationRow, on: Change): Status {
  const next = statusAfter(status, on);
  if (next === null) throw conflict(`An automation that is ${status} cannot be ${past[on]}`);
  return next;
}
