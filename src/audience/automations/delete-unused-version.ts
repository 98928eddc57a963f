import type { CallerCtx } from "../../access/caller.ts";
import type { MailStatement } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { PURGE_DELAY_MS } from "../../platform/outbox/purge-statement.ts";
import { findVersions } from "./versions.ts";

// The first run of a version counts itself in its transaction: without counts no run, email or figure is of it.
const IS_UNUSED = "NOT EXISTS (SELECT 1 FROM automation_counts WHERE version = ?1)";
const ITS_ROWS = "SELECT n FROM broadcasts WHERE workspace = ?2 AND id IN (SELECT value FROM json_each(?3))";

const DELETE_PARTS = `DELETE FROM broadcast_parts WHERE broadcast IN (${ITS_ROWS}) AND ${IS_UNUSED}`;
const DELETE_ROWS = `DELETE FROM broadcasts WHERE n IN (${ITS_ROWS}) AND ${IS_UNUSED}`;
const DELETE_VERSION = `DELETE FROM automation_versions WHERE n = ?1 AND ${IS_UNUSED}`;
const PURGE_CONTENTS = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref)
  SELECT ?2, ?3, 'purge', json_object('objects', json(?4)) WHERE NOT EXISTS (SELECT 1 FROM automation_versions WHERE n = ?1)`;

/**
 * Returns the statements that delete a version which nobody has entered, with the rows and contents of its emails, for the transaction
 * that replaces it. They change nothing for one that a run needs.
 */
export async function deleteUnusedVersion(ctx: CallerCtx, version: number): Promise<MailStatement[]> {
  const emails = [...((await findVersions(ctx, [version])).get(version)?.emails.values() ?? [])];
  const { mail: db, workspace } = ctx;
  const rows = [version, workspace.number, JSON.stringify(emails)] as const;
  const prefixes = JSON.stringify(emails.map((id) => r2Keys.broadcast(workspace.id, id, "")));
  return [
    db.prepare(DELETE_PARTS).bind(...rows),
    db.prepare(DELETE_ROWS).bind(...rows),
    db.prepare(DELETE_VERSION).bind(version),
    ...(emails.length === 0
      ? []
      : [db.prepare(PURGE_CONTENTS).bind(version, ctx.now() + PURGE_DELAY_MS, ctx.newId(), prefixes)]),
  ];
}
