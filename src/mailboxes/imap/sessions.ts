import {
  findOpenAccesses,
  findProgramAccess,
  findProgramLogin,
  type ProgramAccess,
  type ProgramLogin,
} from "../../access/mailbox-sessions/mail-programs.ts";
import { isPassword } from "../../access/mailbox-sessions/password.ts";
import { signAccessToken, verifyAccessToken } from "../../access/sessions/access-token.ts";
import { countMailboxPassword } from "../../identity/sign-ins/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { ImapError } from "./errors.ts";

/** The login of a mail program. */
export interface ImapLogin {
  username: string;
  password: string;
  /** Address of the client. */
  ip: string;
}

/** A session that was started: the token of its calls, which must be renewed before `expires_at` (ms since 1970). */
export interface StartedSession {
  token: string;
  expires_at: number;
  mailbox_id: string;
  address: string;
}

/**
 * Starts the session of a mail program, by the password of the mailbox or an app password. Throws ImapError for a wrong address or
 * password, and when there were too many wrong passwords. A correct app password is accepted even then, and is not counted: it is too
 * random to be guessed. So neither the wrong passwords of others nor many logins at the same time keep a program out.
 */
export async function startImapSession(ctx: Ctx, { username, password, ip }: ImapLogin): Promise<StartedSession> {
  const login = await findProgramLogin(ctx, { email: username, password });
  const access = login.isProven ? login.access : await checkPassword(ctx, login, { username, password, ip });
  await login.touch?.();
  return started(ctx, access);
}

/** Returns the mailbox that a password opens, and counts the login as failed until it has succeeded. Throws as `startImapSession`. */
async function checkPassword(
  ctx: Ctx,
  { access, hash }: ProgramLogin,
  { username, password, ip }: ImapLogin,
): Promise<ProgramAccess> {
  const succeeded = await countMailboxPassword(ctx, username, ip).catch(() => {
    throw new ImapError("Too many wrong passwords; try again later", "LIMIT");
  });
  if (!(await isPassword(password, hash)) || !access)
    throw new ImapError("The address or the password is wrong", "AUTHENTICATIONFAILED");
  await succeeded();
  return access;
}

/** Returns a new token for a session whose access has not ended. Throws ImapError when it has. */
export async function renewImapSession(ctx: Ctx, token: string): Promise<StartedSession> {
  const { mailboxId, secret } = await readImapSession(ctx, token);
  const access = await findProgramAccess(ctx, mailboxId, secret);
  if (!access) throw ended();
  return started(ctx, access);
}

/** Returns the indexes of the tokens whose access has ended. */
export async function findEndedSessions(ctx: Ctx, tokens: readonly string[]): Promise<number[]> {
  const sessions = await Promise.all(tokens.map((token) => readImapSession(ctx, token).catch(() => null)));
  const open = await findOpenAccesses(
    ctx,
    sessions.map((session) => session && { ...session, id: session.mailboxId }),
  );
  return [...tokens.keys()].filter((n) => !open.has(n));
}

/** The session of a call. */
export interface ImapSession {
  mailboxId: string;
  /** The workspace that had the mailbox when the session began. */
  workspaceId: string;
  /** The secret that opened it (`ProgramAccess`). */
  secret: string;
}

/** Returns the session of a token. Throws ImapError for one that is invalid or older than 60 minutes. */
export async function readImapSession(ctx: Ctx, token: string): Promise<ImapSession> {
  const claims = await verifyAccessToken(ctx, "imap", token);
  if (!claims) throw ended();
  return { mailboxId: claims.sub, workspaceId: claims.wid, secret: claims.sid };
}

async function started(ctx: Ctx, { id, address, workspaceId, secret }: ProgramAccess): Promise<StartedSession> {
  const claims = { sub: id, sid: secret, wid: workspaceId };
  const { token, expiresAt } = await signAccessToken(ctx, "imap", claims);
  return { token, expires_at: expiresAt, mailbox_id: id, address };
}

const ended = () => new ImapError("The access has ended; log in again", "EXPIRED");
