import type { MailCtx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import type { MailStatement } from "../../db/database.ts";

/**
 * Returns the statement that lowers the index progress to the greatest `n` left. Every batch that deletes emails runs it:
 * SQLite assigns the greatest deleted numbers again, and the emails that get them are not indexed yet.
 */
export function rewindSearchProgressStatement(ctx: Pick<MailCtx, "outbox">): MailStatement {
  return mailDb(ctx).prepare("UPDATE search_progress SET n = min(n, coalesce((SELECT max(n) FROM emails), 0))");
}
