import { type ListedMailbox, readAddressList } from "../addresses/read-list.ts";
import type { EnvelopeAddress } from "./types.ts";

/** Addresses of one field that are shown. */
const MAX_ADDRESSES = 500;

/**
 * Returns the addresses of a field as IMAP shows them (RFC 3501 7.4.2): names keep their encoded words, comments name an address without a
 * phrase, and groups have a beginning and an end.
 */
export function readAddresses(value: string): EnvelopeAddress[] {
  const addresses: EnvelopeAddress[] = [];
  for (const entry of readAddressList(value)) {
    const room = MAX_ADDRESSES - addresses.length;
    if (room <= 0) break;
    if ("members" in entry)
      addresses.push([null, entry.group, null], ...entry.members.slice(0, room).map(toAddress), [null, null, null]);
    else addresses.push(toAddress(entry));
  }
  return addresses;
}

/** The host has a name of its own where there is none, because an address without one would be a group. */
function toAddress({ phrase, comment, spec }: ListedMailbox): EnvelopeAddress {
  if (spec) return [phrase ?? comment, spec.local, spec.domain || "MISSING_DOMAIN"];
  return [phrase ?? comment, "MISSING_MAILBOX", "MISSING_DOMAIN"];
}
