import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { checkJsonSize } from "../../lib/json-size.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { type AutomationRow, toAutomation } from "./queries.ts";
import { limits } from "./rules.ts";
import { type AutomationIn, type AutomationOut, toDefinition } from "./schema.ts";

const INSERT = `
  INSERT INTO automations (workspace, id, user_id, name, status, definition, size, trigger_event, created_at, updated_at)
  SELECT ?1, ?2, ?3, ?4, 'draft', ?5, ?6, ?7, ?8, ?8
   WHERE ${hasRoom("automations", "?1")}`;

/** Creates a draft of an automation. Throws 403 for a restricted key, 409 when the workspace has as many as it may, 413 when it is too large. */
export async function createAutomation(ctx: CallerCtx, input: AutomationIn): Promise<AutomationOut> {
  requireAllDomains(ctx);
  const definition = JSON.stringify(toDefinition(input));
  const now = ctx.now();
  const row: AutomationRow = {
    n: 0,
    workspace: ctx.workspace.number,
    id: ctx.newId(),
    userId: ctx.actor.userId,
    name: input.name,
    status: "draft",
    edit: 0,
    definition,
    version: null,
    versionNumber: 0,
    pauseReason: null,
    createdAt: now,
    updatedAt: now,
    runs: "{}",
    steps: "{}",
  };
  const response = toAutomation(row);
  const db = ctx.mail;
  const values = [row.workspace, row.id, row.userId, row.name, definition, sizeOf(definition), input.trigger.event];
  await guardedBatch(db, [
    db.prepare(INSERT).bind(...values, now),
    expectChanges(db, 1),
    ...(await storeMailResponse(ctx, response)),
  ]);
  return response;
}

/** Returns the bytes of a definition. Throws 413 beyond the limit. */
export const sizeOf = (definition: string): number => checkJsonSize(definition, limits.bytes, "automation");
