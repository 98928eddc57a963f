import type { Ctx } from "../context.ts";
import { isPassword } from "../mailbox-sessions/index.ts";
import { countFailure } from "../rate-limits/index.ts";
import { signAccessToken, verifyAccessToken } from "../sessions/index.ts";
import { type CredentialRow, findByUsernameStatement } from "./credentials.ts";
import { ReplyError } from "./replies.ts";
import { loginLimits } from "./rules.ts";

/** A login of the gateway: username and password as the client sent them. */
export interface Login {
  username: string;
  password: string;
  /** Address of the client. */
  ip: string;
  /** Id of the connection, by the gateway. */
  connection: string;
}

/** The connection of a client that has logged in. */
export interface SmtpSession {
  credentialId: string;
  workspaceId: string;
  connection: string;
}

/**
 * Checks a password once for a connection and returns the token of its session, which is checked without scrypt. Throws
 * ReplyError 535 for an unknown username and a wrong password alike, 454 beyond the limits of failures.
 */
export async function startSmtpSession(ctx: Ctx, { username, password, ip, connection }: Login): Promise<string> {
  const name = username.toLowerCase();
  const { exceeded, succeeded } = await countFailure(ctx, loginLimits(name, ip));
  if (exceeded)
    throw new ReplyError(`454 4.7.0 Too many failed logins; retry in ${exceeded.retryAfterSeconds} seconds`);
  const row = (await findByUsernameStatement(ctx, name).all()).results[0] as CredentialRow | undefined;
  if (!(await isPassword(password, row?.hash ?? null)) || !row)
    throw new ReplyError("535 5.7.8 The username or the password is wrong");
  await succeeded();
  const claims = { sub: row.credential_id, sid: connection, wid: row.workspace_id };
  return (await signAccessToken(ctx, "smtp", claims)).token;
}

/** Returns the session of a token. Throws ReplyError 421 when it is invalid or older than 60 minutes. */
export async function readSmtpSession(ctx: Ctx, token: string): Promise<SmtpSession> {
  const claims = await verifyAccessToken(ctx, "smtp", token);
  if (!claims) throw new ReplyError("421 4.7.0 The session has ended; connect again");
  return { credentialId: claims.sub, workspaceId: claims.wid, connection: claims.sid };
}

/** Returns the refusal of a credential that was deactivated, or whose user or workspace is gone. */
export const credentialEnded = () => new ReplyError("535 5.7.8 This SMTP credential is no longer active");
