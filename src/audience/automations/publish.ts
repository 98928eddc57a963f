import type { CallerCtx } from "../../access/caller.ts";
import type { MailStatement } from "../../platform/context.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { requireEmailSpace } from "../../platform/jobs/shard-sizes.ts";
import { insertStepRowsStatements, storeStepContents } from "../broadcasts/index.ts";
import type { Definition } from "./definition.ts";
import { deleteUnusedVersion } from "./delete-unused-version.ts";
import type { AutomationRow } from "./queries.ts";
import { readEmails } from "./read-emails.ts";
import { checkReferences } from "./references.ts";

const INSERT_VERSION = `
  INSERT INTO automation_versions (workspace, automation, number, definition, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5 WHERE ${hasRoom("automation_versions", "?2")}`;

const ENTER_VERSION = `
  UPDATE automations SET version_number = ?2, trigger_event = ?3,
    version = (SELECT n FROM automation_versions WHERE automation = ?1 AND number = ?2) WHERE n = ?1`;

/**
 * Prepares a version that people enter from now on. Stores the contents of its emails; the statements belong in the transaction of the
 * change, and delete the version before it when that has no runs. Throws 422 for what it names that does not exist, for senders that may
 * not send, and for texts that cannot be rendered, and as `requireEmailSpace`.
 */
export async function prepareVersion(
  ctx: CallerCtx,
  { n, id, version, versionNumber }: AutomationRow,
  definition: Definition,
): Promise<{ number: number; statements: MailStatement[] }> {
  requireEmailSpace(ctx);
  await checkReferences(ctx, definition);
  const number = versionNumber + 1;
  const contents = await readEmails(ctx, { automationId: id, number, definition });
  await storeStepContents(ctx, contents);
  const { number: workspace } = ctx.workspace;
  const db = ctx.mail;
  const insert = db.prepare(INSERT_VERSION).bind(workspace, n, number, JSON.stringify(definition), ctx.now());
  const statements = [
    // Before the budget of versions counts.
    ...(version === null ? [] : await deleteUnusedVersion(ctx, version)),
    insert,
    db.prepare(ENTER_VERSION).bind(n, number, definition.trigger.event),
    ...insertStepRowsStatements(ctx, workspace, id, contents),
  ];
  return { number, statements };
}

/** Returns whether an automation was changed since people could enter it last. One D1 call. */
export async function isChanged(ctx: CallerCtx, { version, definition }: AutomationRow): Promise<boolean> {
  if (version === null) return true;
  const sql = "SELECT definition FROM automation_versions WHERE n = ?1";
  return (await ctx.mail.findValue<string>(sql, version)) !== definition;
}
