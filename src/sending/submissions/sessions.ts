import { findProgramLogin, type ProgramAccess } from "../../access/mailbox-sessions/mail-programs.ts";
import { isPassword } from "../../access/mailbox-sessions/password.ts";
import { signAccessToken, verifyAccessToken } from "../../access/sessions/access-token.ts";
import { mailboxPasswordLimits } from "../../identity/sign-ins/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { countFailure, type FailureLimits } from "../../platform/rate-limits/exact.ts";
import { type CredentialRow, findByUsernameStatement } from "./credentials.ts";
import { isKnownPassword, rememberPassword } from "./known-passwords.ts";
import { ReplyError } from "./replies.ts";
import type { Result } from "./results.ts";
import { loginLimits, networkLimit } from "./rules.ts";

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

/** A session that was started: its token and the name of its credential. */
interface StartedSession {
  token: string;
  credential: string;
  /** The access to the mailbox that the client sends from, for the gateway to ask about; null: it has an SMTP credential. */
  access: SmtpSession["mailbox"];
}

/** The connection of a client that has logged in. */
export interface SmtpSession {
  /** Id of the SMTP credential, or the name of a mailbox and the secret that opened it. */
  credentialId: string;
  /** The mailbox that the client sends from, and the secret that opened it; null: it has an SMTP credential. */
  mailbox: Pick<ProgramAccess, "id" | "secret"> | null;
  workspaceId: string;
  connection: string;
}

const MAILBOX_CREDENTIAL = /^mailbox (\S+) (\S+)$/;

/** Returns the name of a mailbox and the secret that opened it, in the place of the id of an SMTP credential. */
const mailboxCredential = ({ id, secret }: Pick<ProgramAccess, "id" | "secret">) => `mailbox ${id} ${secret}`;

/**
 * Checks the password of connections with equal logins, each once, and returns the tokens of their sessions, which are
 * checked without scrypt. The credential or mailbox is read once for all of them. The error of a connection is ReplyError 535 for an
 * unknown username and a wrong password alike, 454 beyond the limits of failures.
 */
export async function startSmtpSessions(
  ctx: Ctx,
  { username: given, password }: Credentials,
  connections: readonly LoginConnection[],
): Promise<Result<StartedSession>[]> {
  const username = given.toLowerCase();
  const account = await findLoginAccount(ctx, { username, password });
  const results: Result<StartedSession>[] = [];
  // One after the other, so that scrypt runs once for a password that is right.
  for (const { ip, connection } of connections) {
    try {
      results.push({ value: await startSession(ctx, account, { username, password, ip, connection }) });
    } catch (error) {
      results.push({ error });
    }
  }
  if (results.some((result) => "value" in result)) await account.touch?.();
  return results;
}

async function startSession(ctx: Ctx, account: LoginAccount, login: Login): Promise<StartedSession> {
  const { found, isProven } = account;
  const isKnown = found !== null && (isProven || isKnownPassword(found.hash, login.password));
  const { credentialId, workspaceId } = isKnown ? found : await checkPassword(ctx, account, login);
  const claims = { sub: credentialId, sid: login.connection, wid: workspaceId };
  return {
    token: (await signAccessToken(ctx, "smtp", claims)).token,
    credential: credentialId,
    access: toMailbox(credentialId),
  };
}

/** Checks a password and counts the login as failed until it has succeeded. Throws as `startSmtpSessions`. */
async function checkPassword(ctx: Ctx, { found, isPassword, limits }: LoginAccount, login: Login) {
  const { exceeded, succeeded } = await countFailure(ctx, limits(login.ip));
  if (exceeded)
    throw new ReplyError(`454 4.7.0 Too many failed logins; retry in ${exceeded.retryAfterSeconds} seconds`);
  if (!(await isPassword(login.password)) || !found)
    throw new ReplyError("535 5.7.8 The username or the password is wrong");
  rememberPassword(found.hash, login.password);
  await succeeded();
  return found;
}

/** Returns the session of a token. Throws ReplyError 421 when it is invalid or older than 60 minutes. */
export async function readSmtpSession(ctx: Ctx, token: string): Promise<SmtpSession> {
  const claims = await verifyAccessToken(ctx, "smtp", token);
  if (!claims) throw new ReplyError("421 4.7.0 The session has ended; connect again");
  const { sub, wid, sid } = claims;
  return { credentialId: sub, mailbox: toMailbox(sub), workspaceId: wid, connection: sid };
}

function toMailbox(credentialId: string): SmtpSession["mailbox"] {
  const [, id, secret] = MAILBOX_CREDENTIAL.exec(credentialId) ?? [];
  return id !== undefined && secret !== undefined ? { id, secret } : null;
}

/** Returns the refusal of a credential that was deactivated, or whose user or workspace is gone. */
export const credentialEnded = () => new ReplyError("535 5.7.8 This SMTP credential is no longer active");

/** Returns the refusal of a mailbox whose password was changed or deleted, or which may not be used any more. */
export const accessEnded = () => new ReplyError("535 5.7.8 The access to this mailbox has ended; log in again");

/** The SMTP credential or mailbox that a client that logs in asks for. */
interface LoginAccount {
  /** Null: nothing has this username. */
  found: { credentialId: string; workspaceId: string; hash: string } | null;
  /** The password is a correct app password. It is not checked again and not limited: it is too random to be guessed. */
  isProven: boolean;
  /** Returns whether the password is right. It takes as long for an unknown username as for a wrong password. */
  isPassword(password: string): Promise<boolean>;
  /** Records that its password was used. Null: nothing is to be recorded. */
  touch: (() => Promise<void>) | null;
  /** Returns the limits of failed logins from an ip. */
  limits(ip: string): FailureLimits;
}

/** Returns the SMTP credential with a username, else the mailbox with this address. A name that is neither counts as an address. */
async function findLoginAccount(
  ctx: Ctx,
  { username, password }: { username: string; password: string },
): Promise<LoginAccount> {
  const { results } = await findByUsernameStatement(ctx, username).all();
  const row = results[0] as CredentialRow | undefined;
  return row ? ofCredential(row, username) : ofMailbox(ctx, { username, password });
}

function ofCredential({ credential_id, workspace_id, hash }: CredentialRow, username: string): LoginAccount {
  return {
    found: hash === null ? null : { credentialId: credential_id, workspaceId: workspace_id, hash },
    isProven: false,
    isPassword: (password) => isPassword(password, hash),
    touch: null,
    limits: (ip) => loginLimits(username, ip),
  };
}

async function ofMailbox(
  ctx: Ctx,
  { username, password }: { username: string; password: string },
): Promise<LoginAccount> {
  const login = await findProgramLogin(ctx, { email: username, password });
  const { access, hash } = login;
  return {
    found:
      access && hash !== null
        ? { credentialId: mailboxCredential(access), workspaceId: access.workspaceId, hash }
        : null,
    isProven: login.isProven,
    isPassword: (given) => isPassword(given, hash),
    touch: login.touch,
    // Those of webmail and IMAP, so that a guess counts wherever it is made.
    limits: (ip) => ({ ...mailboxPasswordLimits(username, ip), others: [networkLimit(ip)] }),
  };
}
