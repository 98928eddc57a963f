import { createHash } from "node:crypto";
import { utf8 } from "../lib/bytes.ts";
import { uuidFromHash } from "../lib/ids.ts";
import type { ParsedMessage } from "../mail/messages/index.ts";

/** What identifies a delivery. */
export interface DeliveryKey {
  /** Equal for each attempt of a sending server to deliver one message to one mailbox (decisions 9). */
  key: string;
  /** Id of the inbound log entry. */
  id: string;
  /** Names the R2 object: equal for equal bytes and recipients only, so that it is never overwritten by another message. */
  object: string;
}

/**
 * Identifies a delivery by its mailbox, From, Date, Message-ID and body. Other fields change between attempts, such as
 * Received.
 */
export async function identifyDelivery(
  mailboxId: string,
  recipient: string,
  raw: Uint8Array,
  { fields, headerSize }: Pick<ParsedMessage, "fields" | "headerSize">,
): Promise<DeliveryKey> {
  const body = createHash("sha256").update(raw.subarray(headerSize)).digest("hex");
  const header = createHash("sha256").update(raw.subarray(0, headerSize)).digest("hex");
  const identity = ["from", "date", "message-id"].map((name) => fields.all(name));
  const hash = (value: unknown) => uuidFromHash(utf8(JSON.stringify(value)));
  const id = await hash([mailboxId, identity, body]);
  return { key: id, id, object: await hash([recipient, header, body]) };
}
