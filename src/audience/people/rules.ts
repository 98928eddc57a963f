import { parseAddress } from "../../lib/addresses.ts";
import { notFound } from "../../lib/errors.ts";

/** Rows of one page of an export, by section. The metadata of a contact has up to 64 KiB. */
export const limits = { contacts: 50, consents: 200, emails: { default: 200, max: 200 } } as const;

/** Returns the canonical form of the address in a path. Throws 404 for what is no address. */
export function personKey(email: string): string {
  const key = parseAddress(email)?.key;
  if (key === undefined) throw notFound("Person");
  return key;
}
