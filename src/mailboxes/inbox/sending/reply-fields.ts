import { shortenReferences } from "../../../mail/messages/references.ts";
import type { StoredMessage } from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";

/** Message-IDs of the References field of a reply, and their characters. The field is folded. */
const MAX_REFERENCES = 20;
const MAX_CHARACTERS = 8_000;

/** Returns the fields that make a message a reply (RFC 5322 3.6.4), and the message that it replies to if it is known. */
export async function replyFields(
  { store }: OpenMailbox,
  inReplyTo: string | null | undefined,
): Promise<{ headers: Record<string, string>; original: StoredMessage | null }> {
  if (!inReplyTo) return { headers: {}, original: null };
  const original = await store.findByMessageId(inReplyTo);
  const all = [...(original?.references ?? []), inReplyTo].filter((id) => /^[\x21-\x7e]+$/.test(id));
  let references = shortenReferences(all, MAX_REFERENCES);
  while (references.length > 2 && references.join(" ").length > MAX_CHARACTERS)
    references = shortenReferences(references, references.length - 1);
  return { headers: { "In-Reply-To": inReplyTo, References: references.join(" ") }, original };
}
