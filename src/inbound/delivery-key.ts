import { utf8 } from "../lib/bytes.ts";
import { uuidFromHash } from "../lib/ids.ts";
import type { ParsedMessage } from "../mail/messages/index.ts";

/**
 * Returns the key of a delivery, equal for each attempt of a sending server to deliver one message to one mailbox (decisions 9). It
 * is also the id of the inbound log entry. Made of mailbox, From, Date, Message-ID and the hash of the body: other fields change
 * between attempts, such as Received.
 */
export function deliveryKey(mailboxId: string, fields: ParsedMessage["fields"], bodyHash: string): Promise<string> {
  const identity = ["from", "date", "message-id"].map((name) => fields.all(name));
  return uuidFromHash(utf8(JSON.stringify([mailboxId, identity, bodyHash])));
}
