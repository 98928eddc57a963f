import { parseAddress } from "../../lib/addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import { appPasswordHashes, isTouchDue, touchAppPassword } from "./app-passwords.ts";
import { openByAppPassword, openByPassword } from "./rights.ts";

/** The mailbox that a mail program opens, and the secret that opens it. */
export interface ProgramAccess {
  id: string;
  address: string;
  workspaceId: string;
  /** The id of an app password, or when the password of the mailbox was set, in ms since 1970 as digits. */
  secret: string;
}

/** The mailbox of a login. */
export type ProgramLogin = (ProvenLogin | UncheckedLogin) & {
  /** Records that the app password was used, once the login is accepted. Null: nothing is to be recorded. */
  touch: (() => Promise<void>) | null;
};

/** A login with a correct app password. */
interface ProvenLogin {
  isProven: true;
  access: ProgramAccess;
  /** The stored hash of the app password. */
  hash: string;
}

/** A login whose password must be compared with that of the mailbox by `isPassword`. */
interface UncheckedLogin {
  isProven: false;
  /** Null: no mailbox has this address, or nothing opens it. */
  access: ProgramAccess | null;
  /** The stored hash of the password. Null: there is none. */
  hash: string | null;
}

const COLUMNS = "b.id, b.address, w.id AS workspaceId";

const FIND_BY_PASSWORD = `
  SELECT ${COLUMNS}, CAST(p.changed_at AS TEXT) AS secret, p.hash FROM ${openByPassword("?2")}
   WHERE b.address = ?1 AND b.is_active = 1 LIMIT 1`;

const FIND_BY_APP_PASSWORD = `
  SELECT ${COLUMNS}, p.id AS secret, p.hash, p.last_used_at AS lastUsedAt FROM ${openByAppPassword("?2")}
   WHERE b.address = ?1 AND b.is_active = 1 AND p.hash IN (SELECT value FROM json_each(?3)) LIMIT 1`;

interface FoundRow extends ProgramAccess {
  hash: string;
  /** Of an app password only. */
  lastUsedAt?: number | null;
}

/** Returns the mailbox that a mail program asks for by address and password, in one D1 call. The password is not checked by scrypt yet. */
export async function findProgramLogin(
  ctx: Ctx,
  { email, password }: { email: string; password: string },
): Promise<ProgramLogin> {
  const values = [parseAddress(email)?.key ?? "", ctx.now()];
  const hashes = await appPasswordHashes(ctx, password);
  const [byApp, byPassword] = await ctx.db.batch<FoundRow>([
    ctx.db.prepare(FIND_BY_APP_PASSWORD).bind(...values, JSON.stringify(hashes)),
    ctx.db.prepare(FIND_BY_PASSWORD).bind(...values),
  ]);
  const app = byApp?.results[0];
  if (app) {
    const { hash, lastUsedAt, ...access } = app;
    const newest = hashes[0] ?? null;
    const isDue = hash !== newest || isTouchDue(ctx, lastUsedAt ?? null);
    const touch = isDue ? () => touchAppPassword(ctx, access.secret, newest) : null;
    return { isProven: true, access, hash, touch };
  }
  const row = byPassword?.results[0];
  if (!row) return { isProven: false, access: null, hash: null, touch: null };
  const { hash, ...access } = row;
  return { isProven: false, access, hash, touch: null };
}

const FIND_OPENED_BY_PASSWORD = `
  SELECT ${COLUMNS}, ?3 AS secret FROM ${openByPassword("?2")}
   WHERE b.id = ?1 AND b.is_active = 1 AND p.changed_at = CAST(?3 AS INTEGER)`;

const FIND_OPENED_BY_APP_PASSWORD = `
  SELECT ${COLUMNS}, p.id AS secret FROM ${openByAppPassword("?2")} WHERE b.id = ?1 AND b.is_active = 1 AND p.id = ?3`;

/** Returns a mailbox if a secret still opens it, or null. Using an app password is recorded. */
export async function findProgramAccess(ctx: Ctx, mailboxId: string, secret: string): Promise<ProgramAccess | null> {
  const isApp = isAppPassword(secret);
  const sql = isApp ? FIND_OPENED_BY_APP_PASSWORD : FIND_OPENED_BY_PASSWORD;
  const access = await ctx.db.prepare(sql).bind(mailboxId, ctx.now(), secret).first<ProgramAccess>();
  if (access && isApp) await touchAppPassword(ctx, secret, null);
  return access;
}

const findOpened = (opened: string, isSecret: string) => `
  SELECT j.key AS n FROM json_each(?1) j CROSS JOIN ${opened}
   WHERE b.id = j.value->>'id' AND b.is_active = 1 AND w.id = j.value->>'workspaceId' AND ${isSecret}`;

const OPENED_BY_PASSWORD = findOpened(openByPassword("?2"), "p.changed_at = CAST(j.value->>'secret' AS INTEGER)");
const OPENED_BY_APP_PASSWORD = findOpened(openByAppPassword("?2"), "p.id = j.value->>'secret'");

/**
 * Returns the indexes of the accesses that have not ended, in one D1 call: the secret still opens the mailbox, which has not moved to
 * another workspace. Null is an access that has ended.
 */
export async function findOpenAccesses(
  ctx: Ctx,
  accesses: readonly (Omit<ProgramAccess, "address"> | null)[],
): Promise<Set<number>> {
  const values = [JSON.stringify(accesses), ctx.now()];
  const found = await ctx.db.batch<{ n: number }>(
    [OPENED_BY_PASSWORD, OPENED_BY_APP_PASSWORD].map((sql) => ctx.db.prepare(sql).bind(...values)),
  );
  return new Set(found.flatMap(({ results }) => results.map(({ n }) => n)));
}

/** Returns whether a secret is that of an app password: its id is a UUID. */
export const isAppPassword = (secret: string): boolean => secret.includes("-");
