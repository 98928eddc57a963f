import type { Ctx, MainStatement } from "../../platform/context.ts";
import { erasedForm } from "../../platform/erased-addresses/forms.ts";
import type { WorkspaceAddress } from "./domain-failures.ts";
import { KEEP_STRONGER_REASON } from "./suppress.ts";

// The email that caused an entry is not kept: its recipient is erased.
const ERASE = [
  `INSERT INTO suppressions (workspace, email, reason, created_at, email_id, unsubscribed_at)
   SELECT workspace, ?3, reason, created_at, NULL, unsubscribed_at FROM suppressions WHERE workspace = ?1 AND email = ?2
   ${KEEP_STRONGER_REASON}`,
  `INSERT OR REPLACE INTO soft_bounces (workspace, email, email_ids, is_refusal, first_at, last_at, listed_at)
   SELECT workspace, ?3, '[]', is_refusal, first_at, last_at, listed_at FROM soft_bounces
    WHERE workspace = ?1 AND email = ?2 AND listed_at IS NOT NULL`,
  `INSERT OR REPLACE INTO topic_choices (workspace, email, topic, choice, chosen_at, method)
   SELECT workspace, ?3, topic, choice, chosen_at, method FROM topic_choices WHERE workspace = ?1 AND email = ?2`,
];

/** Returns the statements that copy what stops mail to an address to its keyed hash. The rows of the address are deleted after them. */
export function keepErasedStatements(ctx: Ctx, { workspace, email }: WorkspaceAddress): MainStatement[] {
  return ERASE.map((sql) => ctx.db.prepare(sql).bind(workspace, email, erasedForm(email)));
}
