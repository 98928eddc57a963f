import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import type { ParsedMessage } from "../../mail/messages/parse.ts";

/** How long a message counts as repeated after its first delivery, in ms. Sending servers try again for five days (RFC 5321 4.5.4.1). */
export const REPEATED_MS = 7 * 24 * 3_600_000;

/**
 * Returns the key of a delivery, equal for each attempt of a sending server to deliver one message to one mailbox
 * (docs/contract/inbound.md#repeated-deliveries). Made of mailbox, From, Date, Message-ID, Subject and the hash of the body:
 * other fields change between attempts, such as Received. Returns null for a message without a valid Message-ID: devices send
 * different messages that are equal in all the rest.
 */
export async function deliveryKey(
  mailboxId: string,
  { fields, messageId }: Pick<ParsedMessage, "fields" | "messageId">,
  bodyHash: string,
): Promise<string | null> {
  if (messageId === null) return null;
  const identity = ["from", "date", "message-id", "subject"].map((name) => fields.all(name));
  return uuidFromHash(utf8(JSON.stringify([mailboxId, identity, bodyHash])));
}
