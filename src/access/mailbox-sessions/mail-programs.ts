import { parseAddress } from "../../lib/addresses.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { appPasswordHashes, isTouchDue, touchAppPassword } from "./app-passwords.ts";
import type { SecretOpener } from "./may-open.ts";
import { openByAppPassword, openByPassword } from "./rights.ts";

/** The mailbox that a mail program opens, and the secret that opens it. */
export interface ProgramAccess {
  id: string;
  address: string;
  workspaceId: string;
  /** The id of an app password, or when the password of the mailbox was set, in ms since 1970 as digits. */
  secret: string;
}

/**
 * The mailbox of a login, null when nothing opens it, with the stored hash of its secret. A correct app password is proven; any other one
 * must be compared with that of the mailbox by `isPassword`. `touch` records the use of an app password, once the login is accepted.
 */
export type ProgramLogin = (
  | { isProven: true; access: ProgramAccess; hash: string }
  | { isProven: false; access: ProgramAccess | null; hash: string | null }
) & { touch: (() => Promise<void>) | null };

const COLUMNS = "b.id, b.address, w.id AS workspaceId";

const FIND_BY_PASSWORD = `
  SELECT ${COLUMNS}, CAST(p.changed_at AS TEXT) AS secret, p.hash FROM ${openByPassword("?2")}
   WHERE w.shut_at IS NULL AND b.address = ?1 AND b.is_active = 1 LIMIT 1`;

const FIND_BY_APP_PASSWORD = `
  SELECT ${COLUMNS}, p.id AS secret, p.hash, p.last_used_at AS lastUsedAt FROM ${openByAppPassword("?2")}
   WHERE w.shut_at IS NULL AND b.address = ?1 AND b.is_active = 1 AND p.hash IN (SELECT value FROM json_each(?3)) LIMIT 1`;

/** A mailbox that was found by its address, with the stored hash of its secret. */
export interface FoundRow extends ProgramAccess {
  hash: string;
  /** Of an app password only. */
  lastUsedAt?: number | null;
}

/** Returns the statement that finds the mailbox with an address which its password opens, as a row of FoundRow. */
export const findByPasswordStatement = (ctx: Ctx, email: string): MainStatement =>
  ctx.db.prepare(FIND_BY_PASSWORD).bind(parseAddress(email)?.key ?? "", ctx.now());

/** Returns the mailbox that a mail program asks for by address and password, in one D1 call. The password is not checked by scrypt yet. */
export async function findProgramLogin(
  ctx: Ctx,
  { email, password }: { email: string; password: string },
): Promise<ProgramLogin> {
  const hashes = await appPasswordHashes(ctx, password);
  const [byApp, byPassword] = await ctx.db.batch<FoundRow>([
    ctx.db.prepare(FIND_BY_APP_PASSWORD).bind(parseAddress(email)?.key ?? "", ctx.now(), JSON.stringify(hashes)),
    findByPasswordStatement(ctx, email),
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

/** Returns the opener of a mailbox by a secret (`ProgramAccess`). The id of an app password is a UUID. */
export const toOpener = ({ id, secret }: Pick<ProgramAccess, "id" | "secret">): SecretOpener => ({
  kind: secret.includes("-") ? "app_password" : "password",
  mailboxId: id,
  credentialId: secret,
});
