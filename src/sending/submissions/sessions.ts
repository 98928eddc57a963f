import { isPassword } from "../../access/mailbox-sessions/index.ts";
import { signAccessToken, verifyAccessToken } from "../../access/sessions/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { countFailure } from "../../platform/rate-limits/index.ts";
import { type CredentialRow, findByUsernameStatement } from "./credentials.ts";
import { isKnownPassword, rememberPassword } from "./known-passwords.ts";
import { ReplyError } from "./replies.ts";
import type { Result } from "./results.ts";
import { loginLimits } from "./rules.ts";

/** Username and password as a client sent them. */
export interface Credentials {
  username: string;
  password: string;
}

/** A connection that logs in. */
export interface LoginConnection {
  /** Address of the client. */
  ip: string;
  /** Id of the connection, by the gateway. */
  connection: string;
}

type Login = Credentials & LoginConnection;

/** A session that was started: its token and the id of its credential. */
interface StartedSession {
  token: string;
  credential: string;
}

/** The connection of a client that has logged in. */
export interface SmtpSession {
  credentialId: string;
  workspaceId: string;
  connection: string;
}

/**
 * Checks the password of connections with equal logins, each once, and returns the tokens of their sessions, which are
 * checked without scrypt. The credential is read once for all of them. The error of a connection is ReplyError 535 for an
 * unknown username and a wrong password alike, 454 beyond the limits of failures.
 */
export async function startSmtpSessions(
  ctx: Ctx,
  { username: given, password }: Credentials,
  connections: readonly LoginConnection[],
): Promise<Result<StartedSession>[]> {
  const username = given.toLowerCase();
  const row = (await findByUsernameStatement(ctx, username).all()).results[0] as CredentialRow | undefined;
  const results: Result<StartedSession>[] = [];
  // One after the other, so that scrypt runs once for a password that is right.
  for (const { ip, connection } of connections) {
    try {
      results.push({ value: await startSession(ctx, row, { username, password, ip, connection }) });
    } catch (error) {
      results.push({ error });
    }
  }
  return results;
}

async function startSession(ctx: Ctx, row: CredentialRow | undefined, login: Login): Promise<StartedSession> {
  const isKnown = row !== undefined && row.hash !== null && isKnownPassword(row.hash, login.password);
  const found = isKnown ? row : await checkPassword(ctx, row, login);
  const claims = { sub: found.credential_id, sid: login.connection, wid: found.workspace_id };
  return { token: (await signAccessToken(ctx, "smtp", claims)).token, credential: found.credential_id };
}

/** Checks a password by scrypt and counts the login as failed until it has succeeded. Throws as `startSmtpSessions`. */
async function checkPassword(ctx: Ctx, row: CredentialRow | undefined, login: Login): Promise<CredentialRow> {
  const { exceeded, succeeded } = await countFailure(ctx, loginLimits(login.username, login.ip));
  if (exceeded)
    throw new ReplyError(`454 4.7.0 Too many failed logins; retry in ${exceeded.retryAfterSeconds} seconds`);
  const hash = row?.hash ?? null;
  if (!(await isPassword(login.password, hash)) || !row || hash === null)
    throw new ReplyError("535 5.7.8 The username or the password is wrong");
  rememberPassword(hash, login.password);
  await succeeded();
  return row;
}

/** Returns the session of a token. Throws ReplyError 421 when it is invalid or older than 60 minutes. */
export async function readSmtpSession(ctx: Ctx, token: string): Promise<SmtpSession> {
  const claims = await verifyAccessToken(ctx, "smtp", token);
  if (!claims) throw new ReplyError("421 4.7.0 The session has ended; connect again");
  return { credentialId: claims.sub, workspaceId: claims.wid, connection: claims.sid };
}

/** Returns the refusal of a credential that was deactivated, or whose user or workspace is gone. */
export const credentialEnded = () => new ReplyError("535 5.7.8 This SMTP credential is no longer active");
