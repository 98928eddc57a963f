import type { StoredMessage } from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";

/** Message-IDs in one References field: it stays within the 998 bytes of a line. */
const MAX_REFERENCES = 10;
const MAX_REFERENCE_CHARACTERS = 880;

/** Returns the fields that make a message a reply (RFC 5322 3.6.4), and the message that it replies to if it is known. */
export async function replyFields(
  { store }: OpenMailbox,
  inReplyTo: string | null | undefined,
): Promise<{ headers: Record<string, string>; original: StoredMessage | null }> {
  if (!inReplyTo) return { headers: {}, original: null };
  const original = await store.findByMessageId(inReplyTo);
  const all = [...(original?.references ?? []), inReplyTo].filter((id) => /^[\x21-\x7e]+$/.test(id));
  const references = all.slice(-MAX_REFERENCES);
  while (references.length > 1 && references.join(" ").length > MAX_REFERENCE_CHARACTERS) references.shift();
  return { headers: { "In-Reply-To": inReplyTo, References: references.join(" ") }, original };
}
