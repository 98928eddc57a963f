import type { MailCtx, MailStatement } from "../../../platform/context.ts";

// A row covers one microsecond per email, so each change has its own value. at_us is above the last value of the
// workspace even when two commits share a microsecond or the clock steps back.
const INSERT_CHANGE = `
  INSERT INTO changes (workspace, at_us, emails)
  SELECT ?1, max(?2, coalesce((
      SELECT at_us + json_array_length(emails) FROM changes WHERE workspace = ?1 ORDER BY at_us DESC LIMIT 1), 0)),
    json_group_array(n)
    FROM emails WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?3))`;

/** Returns the statement that inserts the change row of one commit. `ids` is a JSON array of the emails that the batch writes. */
export function changeStatement(ctx: MailCtx, workspace: number, ids: string): MailStatement {
  return ctx.mail.prepare(INSERT_CHANGE).bind(workspace, ctx.now() * 1000, ids);
}
