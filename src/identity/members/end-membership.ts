import type { Ctx, MainStatement } from "../../platform/context.ts";
import { cancelOffersStatements } from "../../platform/outbox/withdrawn-offers-statement.ts";
import { END_PASSWORDS } from "./passwords.ts";

/** Ends what gives a former member access to the workspace ?1. The rows would work again if the user (?2) joined again. */
const END = [
  "UPDATE api_keys SET revoked_at = ?3 WHERE workspace = ?1 AND user_id = ?2 AND revoked_at IS NULL",
  "UPDATE smtp_credentials SET deactivated_at = ?3, hash = NULL WHERE workspace = ?1 AND user_id = ?2 AND deactivated_at IS NULL",
  "DELETE FROM refresh_tokens WHERE family IN (SELECT id FROM sessions WHERE workspace = ?1 AND user_id = ?2)",
  "DELETE FROM sessions WHERE workspace = ?1 AND user_id = ?2",
  "DELETE FROM invitations WHERE workspace = ?1 AND invited_by = ?2",
  "DELETE FROM refresh_tokens WHERE family IN (SELECT id FROM oauth_grants WHERE workspace = ?1 AND user_id = ?2)",
  "DELETE FROM oauth_grants WHERE workspace = ?1 AND user_id = ?2",
  END_PASSWORDS,
  "DELETE FROM app_passwords WHERE user_id = ?2 AND mailbox_id IN (SELECT id FROM mailboxes WHERE workspace = ?1)",
  "DELETE FROM mailbox_assignees WHERE user_id = ?2 AND mailbox_id IN (SELECT id FROM mailboxes WHERE workspace = ?1)",
];

/**
 * Returns the statements that end the API keys, SMTP credentials, sessions, OAuth grants with their refresh tokens, passwords and
 * assignments of mailboxes, and pending offers of domains of a former member, for the transaction that deletes the membership.
 */
export function endMembershipStatements(ctx: Ctx, member: { workspace: number; userId: string }): MainStatement[] {
  const values = [member.workspace, member.userId, ctx.now()];
  const end = END.map((sql) => ctx.db.prepare(sql).bind(...(sql.includes("?3") ? values : values.slice(0, 2))));
  return [...end, ...cancelOffersStatements(ctx, member)];
}
