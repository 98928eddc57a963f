import type { Ctx } from "../../context.ts";

// A row stands for as many microseconds as it has emails, so that each change has one of its own. at_us follows the
// workspace's last one even when two commits fall into one microsecond or the clock steps back.
const INSERT_CHANGE = `
  INSERT INTO changes (workspace, at_us, emails)
  SELECT ?1, max(?2, coalesce((
      SELECT at_us + json_array_length(emails) FROM changes WHERE workspace = ?1 ORDER BY at_us DESC LIMIT 1), 0)),
    json_group_array(n)
    FROM emails WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?3))`;

/** The change row of one commit: `ids` is a JSON array of ids of emails that the same batch writes. */
export function changeStatement(ctx: Ctx, workspace: number, ids: string): D1PreparedStatement {
  return ctx.db.prepare(INSERT_CHANGE).bind(workspace, ctx.now() * 1000, ids);
}
