import type { Ctx, MainStatement } from "../../platform/context.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import type { WorkspaceAddress } from "./domain-failures.ts";

const END = [
  `UPDATE suppressions SET unsubscribed_at = NULL
    WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND reason <> 'unsubscribe' AND unsubscribed_at IS NOT NULL`,
  "DELETE FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND reason = 'unsubscribe'",
];

/** Returns the statements that end the unsubscribe of a person from all bulk mail. Entries with another reason stay. */
export function endUnsubscribeStatements(ctx: Ctx, { workspace, email }: WorkspaceAddress): MainStatement[] {
  const forms = JSON.stringify(formsOf(email));
  return END.map((sql) => ctx.db.prepare(sql).bind(workspace, forms));
}
