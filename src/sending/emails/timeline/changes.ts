import type { MailCtx, MailStatement } from "../../../platform/context.ts";

// A row covers one microsecond per email, so each change has its own value. at_us is above the last value of the
// workspace even when two commits share a microsecond or the clock steps back.
const INSERT_CHANGES = `
  INSERT INTO changes (workspace, at_us, emails)
  SELECT e.workspace, max(?2, coalesce((
      SELECT at_us + json_array_length(emails) FROM changes c WHERE c.workspace = e.workspace ORDER BY at_us DESC LIMIT 1), 0)),
    json_group_array(e.n)
    FROM json_each(?1) j CROSS JOIN emails e ON e.workspace = j.value->>0 AND e.id = j.value->>1 GROUP BY e.workspace`;

/** Returns the statement that inserts the change row of each workspace for one commit, of those of these emails that are there. */
export function changeStatement(ctx: MailCtx, emails: readonly { workspace: number; id: string }[]): MailStatement {
  const places = JSON.stringify(emails.map(({ workspace, id }) => [workspace, id]));
  return ctx.mail.prepare(INSERT_CHANGES).bind(places, ctx.now() * 1000);
}
