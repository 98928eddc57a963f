import { createHmac } from "node:crypto";
import { erasedKey } from "./key.ts";

/**
 * Rows that must outlive the erasure of a person (suppressions, topic choices, soft bounces that stop mail) are stored under a keyed
 * hash of the address then, `ERASED_PREFIX` and base64url. No address begins with a space, so they come before all others in the order of
 * keys. Every read that decides about mail looks for both forms of an address.
 */

const ERASED_PREFIX = " #";
/** Less than every address and greater than every erased form. */
export const FIRST_ADDRESS = "!";

/** Returns the form under which the rows of an erased person are kept, given the canonical address. */
// Synchronous, since statements are made synchronously: an HMAC takes some microseconds.
export function erasedForm(email: string): string {
  return ERASED_PREFIX + createHmac("sha256", erasedKey()).update(email).digest("base64url");
}

/** Returns every form under which a row about an address may be stored: the canonical address first. */
export const formsOf = (email: string): string[] => [email, erasedForm(email)];

/** The forms of many addresses, and the address of each form. */
export class AddressForms {
  readonly #addresses = new Map<string, string>();

  constructor(emails: Iterable<string>) {
    for (const email of emails) for (const form of formsOf(email)) this.#addresses.set(form, email);
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
