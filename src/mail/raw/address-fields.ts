import { type Address, parseAddress } from "../../lib/addresses.ts";
import { formatSpec, type ListedMailbox, mailboxesOf, readAddressList } from "../addresses/read-list.ts";
import { decodeEncodedWords } from "../texts/encoded-words.ts";

/** A mailbox of a header field. */
export interface FieldMailbox {
  address: Address;
  name: string | null;
}

/** Returns the mailboxes of an address field, also in groups. Leaves out what is no valid address. */
export const parseMailboxes = (value: string): FieldMailbox[] =>
  mailboxesOf(value).flatMap((mailbox) => toFieldMailbox(mailbox) ?? []);

/** Reads a From field that has exactly one mailbox. Null: none, several, a group, or text that could be taken for different addresses. */
export function parseOnlyMailbox(value: string): FieldMailbox | null {
  const [only, ...others] = readAddressList(value);
  return only === undefined || others.length > 0 || "members" in only ? null : toFieldMailbox(only);
}

function toFieldMailbox({ phrase, comment, spec }: ListedMailbox): FieldMailbox | null {
  const address = spec && parseAddress(formatSpec(spec));
  return address && { address, name: decodeEncodedWords(phrase ?? comment ?? "").trim() || null };
}
