import { unauthorized } from "../../lib/errors.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { CallerCtx } from "../caller.ts";
import { type AccessClaims, signAccessToken } from "../sessions/access-token.ts";
import { type Client, type IssuedToken, toTokens } from "../sessions/start.ts";
import { deleteFamiliesStatement, findFamily, issueRefreshToken } from "../tokens/issue-refresh-token.ts";
import { rotateRefreshToken } from "../tokens/rotate-refresh-token.ts";
import { deleteAppPasswordsStatement } from "./app-passwords.ts";
import { findCallerStatement, type MailboxCallerRow } from "./caller.ts";
import { type FoundRow, findByPasswordStatement } from "./mail-programs.ts";
import { hashPassword, isPassword } from "./password.ts";
import { PASSWORD_TABLES, type PasswordOwner } from "./rights.ts";

/** The tokens of a mailbox session. Times in ms since 1970. */
export type MailboxTokens = Awaited<ReturnType<typeof tokensOf>>;

const SAVE_PASSWORD = `
  INSERT INTO mailbox_passwords (mailbox_id, hash, changed_at, api_key_id, assignee_id, user_id)
  VALUES (?1, ?2, ?3, (SELECT coalesce(k.replaced_by_id, k.id) FROM api_keys k WHERE k.id = ?4), ?5, ?6)
  ON CONFLICT DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at, api_key_id = excluded.api_key_id,
    assignee_id = excluded.assignee_id, user_id = excluded.user_id`;

/** Returns the rights of a caller with which a password ends that it sets or makes. */
export const passwordOwner = ({ actor }: CallerCtx): PasswordOwner => ({
  apiKeyId: actor.kind === "api_key" ? actor.credentialId : null,
  userId: actor.kind === "session" ? actor.userId : null,
  assigneeId: actor.scopes.has("mailboxes:manage") ? null : actor.userId,
});

/** Returns the statements that set the password of a mailbox, end its sessions and delete its app passwords. */
export async function setPasswordStatements(
  ctx: CallerCtx,
  mailboxId: string,
  { password, apiKeyId, assigneeId, userId }: PasswordOwner & { password: string },
): Promise<MainStatement[]> {
  return [
    ctx.db
      .prepare(SAVE_PASSWORD)
      .bind(mailboxId, await hashPassword(password), ctx.now(), apiKeyId, assigneeId, userId),
    ctx.db
      .prepare("DELETE FROM refresh_tokens WHERE family IN (SELECT id FROM mailbox_sessions WHERE mailbox_id = ?1)")
      .bind(mailboxId),
    ctx.db.prepare("DELETE FROM mailbox_sessions WHERE mailbox_id = ?1").bind(mailboxId),
    deleteAppPasswordsStatement(ctx, mailboxId),
  ];
}

/** Returns the statements that hand the passwords that an API key has set or made to its successor. */
export const inheritPasswordsStatements = (ctx: Ctx, { from, to }: { from: string; to: string }): MainStatement[] =>
  PASSWORD_TABLES.map((table) =>
    ctx.db.prepare(`UPDATE ${table} SET api_key_id = ?2 WHERE api_key_id = ?1`).bind(from, to),
  );

// Inserts nothing when the password was changed while it was checked.
const INSERT_SESSION = `
  INSERT INTO mailbox_sessions (id, mailbox_id, ip, user_agent, created_at, expires_at)
  SELECT ?1, mailbox_id, ?3, ?4, ?5, ?6 FROM mailbox_passwords WHERE mailbox_id = ?2 AND changed_at = CAST(?7 AS INTEGER)`;

/** Starts a session of a mailbox. Returns null for an unknown or inactive mailbox and for a wrong password. */
export async function signInToMailbox(
  ctx: Ctx,
  { email, password, client }: { email: string; password: string; client: Client },
): Promise<MailboxTokens | null> {
  const mailbox = await findByPasswordStatement(ctx, email).first<FoundRow>();
  if (!(await isPassword(password, mailbox?.hash ?? null)) || !mailbox) return null;
  const sessionId = ctx.newId();
  const refresh = await issueRefreshToken(ctx, "mailbox", sessionId);
  const { ip, userAgent } = client;
  const values = [sessionId, mailbox.id, ip, userAgent, ctx.now(), refresh.expiresAt, mailbox.secret];
  const [inserted] = await ctx.db.batch([ctx.db.prepare(INSERT_SESSION).bind(...values), refresh.statement]);
  if (inserted?.meta.changes !== 1) return null;
  return tokensOf(ctx, { sub: mailbox.id, sid: sessionId, wid: mailbox.workspaceId }, refresh);
}

const EXTEND_SESSION =
  "UPDATE mailbox_sessions SET expires_at = max(expires_at, ?2) WHERE id = ?1 RETURNING mailbox_id";

/** Uses a refresh token of a mailbox session. Throws 401 when it is unknown, expired or reused, or the session ended. */
export async function refreshMailboxSession(ctx: Ctx, token: string): Promise<MailboxTokens> {
  const rotation = await rotateRefreshToken(ctx, "mailbox", token, (family) => [deleteStatement(ctx, family)]);
  if (!rotation) throw invalid();
  const { family, expiresAt } = rotation;
  const mailboxId = await ctx.db.findValue<string>(EXTEND_SESSION, family, expiresAt);
  const opener = { kind: "mailbox", mailboxId: mailboxId ?? "", credentialId: family } as const;
  const found = await findCallerStatement(ctx, opener).first<MailboxCallerRow>();
  if (!found) throw invalid();
  return tokensOf(ctx, { sub: found.mailbox_id, sid: family, wid: found.workspace_id }, rotation);
}

/** Ends the session of a refresh token. An unknown token is ignored. */
export async function signOutOfMailbox(ctx: Ctx, token: string): Promise<void> {
  const family = await findFamily(ctx, "mailbox", token);
  if (family === null) return;
  await ctx.db.batch([deleteStatement(ctx, family), deleteFamiliesStatement(ctx, [family])]);
}

async function tokensOf(ctx: Ctx, claims: AccessClaims, refresh: IssuedToken) {
  return { ...toTokens(await signAccessToken(ctx, "mailbox_access", claims), refresh), mailboxId: claims.sub };
}

const deleteStatement = (ctx: Ctx, id: string) => ctx.db.prepare("DELETE FROM mailbox_sessions WHERE id = ?1").bind(id);

const invalid = () => unauthorized("Invalid or expired mailbox session");
