import * as z from "zod";
import { isTouchDue, touchAppPassword } from "../../access/mailbox-sessions/app-passwords.ts";
import { findProgramLogin, type ProgramAccess, toOpener } from "../../access/mailbox-sessions/mail-programs.ts";
import { mayOpen, type Opened } from "../../access/mailbox-sessions/may-open.ts";
import { isPassword } from "../../access/mailbox-sessions/password.ts";
import { countMailboxPassword } from "../../identity/sign-ins/index.ts";
import { ImapError } from "../../mail/imap/cursor.ts";
import type { Ctx } from "../../platform/context.ts";

/** The mailbox of a login and the secret that opened it (`ProgramAccess`). The gateway, which is trusted, sends it with each call. */
export const AccessIn = z.object({ id: z.string().max(50), secret: z.string().max(50) });
export type Access = z.output<typeof AccessIn>;

/** The mailbox of a call. */
export interface ImapMailbox {
  mailboxId: string;
  quotaBytes: number | null;
}

/** The login of a mail program. `ip`: that of the client. */
export const LoginIn = z.object({
  username: z.string().max(400),
  password: z.string().max(1_000),
  ip: z.string().max(100),
});
type ImapLogin = z.output<typeof LoginIn>;

/** How long the calls of a mail program use one answer, in ms. */
const ANSWER_MS = 3_000;
const MAX_ANSWERS = 2_000;
/** The answers that this isolate may still use, the oldest first, by access. `askedAt`: before the right was read, in ms since 1970. */
const answers = new Map<string, { askedAt: number; opened: Opened }>();

/**
 * Opens a mailbox for a mail program, by the password of the mailbox or an app password. Throws ImapError for a wrong address or
 * password, and when there were too many wrong passwords. A correct app password is accepted even then, and is not counted: it is too
 * random to be guessed. So neither the wrong passwords of others nor many logins at the same time keep a program out.
 */
export async function logIn(ctx: Ctx, { username, password, ip }: ImapLogin): Promise<{ access: Access }> {
  const login = await findProgramLogin(ctx, { email: username, password });
  const { access, hash } = login;
  const { id, secret } = login.isProven
    ? login.access
    : await checkPassword(ctx, access, { hash, username, password, ip });
  await login.touch?.();
  return { access: { id, secret } };
}

/** Returns the mailbox that a password opens, and counts the login as failed until it has succeeded. Throws as `logIn`. */
async function checkPassword(
  ctx: Ctx,
  access: ProgramAccess | null,
  { hash, username, password, ip }: ImapLogin & { hash: string | null },
): Promise<ProgramAccess> {
  const succeeded = await countMailboxPassword(ctx, username, ip).catch(() => {
    throw new ImapError("Too many wrong passwords; try again later", "LIMIT");
  });
  if (!(await isPassword(password, hash)) || !access)
    throw new ImapError("The address or the password is wrong", "AUTHENTICATIONFAILED");
  await succeeded();
  return access;
}

/**
 * Returns the mailbox of a call if its access has not ended up to three seconds ago. Using an app password is recorded. Throws ImapError
 * when it has ended, and without an access, as from a gateway of an earlier version.
 */
export async function openForCall(ctx: Ctx, access: Access | null): Promise<ImapMailbox> {
  const askedAt = ctx.now();
  const key = JSON.stringify(access);
  const known = answers.get(key);
  const opened = known && askedAt < known.askedAt + ANSWER_MS ? known.opened : access && (await ask(ctx, access));
  if (!access || !opened) throw new ImapError("The access has ended; log in again", "EXPIRED");
  if (opened !== known?.opened) remember(key, { askedAt, opened });
  return { mailboxId: access.id, quotaBytes: opened.quotaBytes };
}

async function ask(ctx: Ctx, access: Access): Promise<Opened | null> {
  const opener = toOpener(access);
  const [opened = null] = await mayOpen(ctx, [opener]);
  if (opened && opener.kind === "app_password" && isTouchDue(ctx, opened.lastUsedAt))
    await touchAppPassword(ctx, access.secret, null);
  return opened;
}

function remember(key: string, answer: { askedAt: number; opened: Opened }): void {
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
}

/** Returns the indexes of the accesses that have ended, in one D1 call. */
export async function findEnded(ctx: Ctx, accesses: readonly Access[]): Promise<number[]> {
  const opened = await mayOpen(ctx, accesses.map(toOpener));
  return [...accesses.keys()].filter((n) => !opened[n]);
}
