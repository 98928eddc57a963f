import { findProgramLogin } from "../../access/mailbox-sessions/mail-programs.ts";
import { isPassword } from "../../access/mailbox-sessions/password.ts";
import { mailboxPasswordLimits } from "../../identity/sign-ins/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RatePolicy } from "../../platform/rate-limits/rules.ts";
import { type CredentialRow, findByUsernameStatement } from "./credentials.ts";
import { loginLimits, networkLimit } from "./rules.ts";
import { mailboxCredential } from "./sessions.ts";

/** The SMTP credential or mailbox that a client that logs in asks for. */
export interface LoginAccount {
  /** Null: nothing has this username. */
  found: { credentialId: string; workspaceId: string; hash: string } | null;
  /** The password is a correct app password. It is not checked again and not limited: it is too random to be guessed. */
  isProven: boolean;
  /** Returns whether the password is right. It takes as long for an unknown username as for a wrong password. */
  isPassword(password: string): Promise<boolean>;
  /** Records that its password was used. Null: nothing is to be recorded. */
  touch: (() => Promise<void>) | null;
  /** Returns the limits of failed logins from an ip. */
  limits(ip: string): [RatePolicy, string][];
}

/**
 * Returns what has a username: the SMTP credential, otherwise the mailbox with this address. A name that is neither counts as an address,
 * since most are.
 */
export async function findLoginAccount(
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
    limits: (ip) => [...mailboxPasswordLimits(username, ip), networkLimit(ip)],
  };
}
