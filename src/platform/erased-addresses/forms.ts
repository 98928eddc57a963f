import { Buffer } from "node:buffer";
import { createHmac, hkdfSync } from "node:crypto";
import type { RootKey } from "../../lib/derive-key.ts";
import { newestKey } from "../../lib/derive-key.ts";
import type { Ctx } from "../context.ts";

/**
 * Rows that must outlive the erasure of a person (suppressions, topic choices, soft bounces that stop mail) are stored under a keyed
 * hash of the address then, `ERASED_PREFIX` and `<version>.<base64url>`. No address begins with a space, so they come before all others in
 * the order of keys. Every read that decides about mail looks for all forms of an address.
 */

const ERASED_PREFIX = " #";
/** Less than every address and greater than every erased form. */
export const FIRST_ADDRESS = "!";

/** HKDF `info`. The MAC keys of mac.ts begin with `mac:`, so this key has no other use. */
const INFO = "hmac-sync:erased addresses";

const derivedKeys = new Map<string, Buffer>();

// Synchronous, since statements are made synchronously: an HMAC takes some microseconds.
function keyOf(root: RootKey): Buffer {
  const cached = derivedKeys.get(root.key);
  if (cached) return cached;
  const key = Buffer.from(hkdfSync("sha256", Buffer.from(root.key, "base64"), new Uint8Array(0), INFO, 32));
  derivedKeys.set(root.key, key);
  return key;
}

const hashed = (root: RootKey, email: string) =>
  `${ERASED_PREFIX}${root.version}.${createHmac("sha256", keyOf(root)).update(email).digest("base64url")}`;

/** The context of a function that computes forms. */
type KeysCtx = Pick<Ctx, "settings">;

/** Returns the form under which the rows of an erased person are kept, given the canonical address. */
export function erasedForm({ settings }: KeysCtx, email: string): string {
  return hashed(newestKey(settings.masterKeys), email);
}

/** Returns every form under which a row about an address may be stored: the canonical address first, then one for each master key. */
export function formsOf({ settings }: KeysCtx, email: string): string[] {
  return [email, ...settings.masterKeys.map((root) => hashed(root, email))];
}

/** The forms of many addresses, and the address of each form. */
export class AddressForms {
  readonly #addresses = new Map<string, string>();

  constructor(ctx: KeysCtx, emails: Iterable<string>) {
    for (const email of emails) for (const form of formsOf(ctx, email)) this.#addresses.set(form, email);
  }

  get all(): string[] {
    return [...this.#addresses.keys()];
  }

  /** Returns the canonical address of a form that a read returned. */
  addressOf(form: string): string {
    return this.#addresses.get(form) ?? form;
  }

  /** Returns rows with the address in place of its form; those of erased persons first, so that the last of an address counts. */
  toRows<Row extends { email: string }>(rows: readonly Row[]): Row[] {
    const isErased = ({ email }: Row) => Number(email.startsWith(ERASED_PREFIX));
    return rows
      .toSorted((a, b) => isErased(b) - isErased(a))
      .map((row) => ({ ...row, email: this.addressOf(row.email) }));
  }
}

/** SQL for the version of the master key of an erased form in a column. */
export const erasedVersionSql = (column: string) =>
  `CAST(substr(${column}, ${ERASED_PREFIX.length + 1}, instr(${column}, '.') - ${ERASED_PREFIX.length + 1}) AS INTEGER)`;
/** SQL condition: the column has an erased form. */
export const isErasedSql = (column: string) => `${column} >= '${ERASED_PREFIX}' AND ${column} < '${FIRST_ADDRESS}'`;
