import type { CallerCtx } from "../../access/caller.ts";
import type { MailStatement } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { purgeStatement } from "../../platform/outbox/purge-statement.ts";
import { findVersions } from "./versions.ts";

// The first run of a version counts itself in its transaction: without counts no run, email or figure is of it.
const IS_UNUSED = "NOT EXISTS (SELECT 1 FROM automation_counts WHERE version = ?1)";
const ITS_ROWS = "SELECT n FROM broadcasts WHERE workspace = ?2 AND id IN (SELECT value FROM json_each(?3))";

const DELETE_PARTS = `DELETE FROM broadcast_parts WHERE broadcast IN (${ITS_ROWS}) AND ${IS_UNUSED}`;
const DELETE_ROWS = `DELETE FROM broadcasts WHERE n IN (${ITS_ROWS}) AND ${IS_UNUSED}`;
const DELETE_VERSION = `DELETE FROM automation_versions WHERE n = ?1 AND ${IS_UNUSED}`;
const FIND_VERSION = "SELECT 1 FROM automation_versions WHERE n = ?3";

/**
 * Returns the statements that delete a version without runs, with the rows and contents of its emails, for the transaction that replaces
 * it. They change nothing for a version that has runs.
 */
export async function deleteUnusedVersion(ctx: CallerCtx, version: number): Promise<MailStatement[]> {
  const emails = [...((await findVersions(ctx, [version])).get(version)?.emails.values() ?? [])];
  const { mail: db, workspace } = ctx;
  const rows = [version, workspace.number, JSON.stringify(emails)] as const;
  const objects = emails.map((id) => r2Keys.broadcast(workspace.id, id, ""));
  return [
    db.prepare(DELETE_PARTS).bind(...rows),
    db.prepare(DELETE_ROWS).bind(...rows),
    db.prepare(DELETE_VERSION).bind(version),
    ...(objects.length === 0
      ? []
      : [purgeStatement(ctx, [{ id: ctx.newId(), purge: { objects } }], { finds: FIND_VERSION, value: version })]),
  ];
}
