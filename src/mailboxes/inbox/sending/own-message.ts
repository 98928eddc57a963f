import { binaryStringToBytes } from "../../../lib/bytes.ts";
import { compose } from "../../../mail/mime/compose.ts";
import type { ComposedMessage, MessageInput } from "../../../mail/mime/message.ts";
import type { Ctx } from "../../../platform/context.ts";
import { r2Keys } from "../../../platform/db/r2-keys.ts";
import { type NewMessage, type Person, putMessage, toNewMessage } from "../../mailbox-store/index.ts";

/** A message that the mailbox itself wrote: a draft or a sent copy. */
export interface OwnMessage {
  mailboxId: string;
  /** Id of its object. */
  id: string;
  folder: "Sent" | "Drafts";
  message: ComposedMessage;
  /** When it was written or sent. */
  date: Date;
  bcc: Person[];
  deliveryKey: string | null;
  /** A mail program submitted it, and may have put a copy into Sent itself. */
  isSubmitted?: boolean;
}

/** Composes a message that the mailbox keeps. Throws ComposeError. */
export const composeOwn = (input: MessageInput): ComposedMessage =>
  compose(input, { smtpUtf8: true, eightBitMime: true });

/** Puts a message into R2. Returns its record for the mailbox. */
export async function putOwnMessage(
  ctx: Ctx,
  { mailboxId, id, folder, message: composed, date, bcc, deliveryKey, isSubmitted = false }: OwnMessage,
): Promise<NewMessage> {
  const object = r2Keys.mailboxMessage(mailboxId, id);
  const { parsed, size } = await putMessage(ctx, object, toChunks(composed));
  const stored = { object, folder, size, authentication: null, deliveryKey, now: date.getTime() };
  const message = toNewMessage(parsed, stored);
  return { ...message, bcc, seen: true, draft: folder === "Drafts", isSubmitted };
}

async function* toChunks(composed: ComposedMessage): AsyncGenerator<Uint8Array> {
  yield binaryStringToBytes(`${composed.headers.map(({ raw }) => raw).join("")}\r\n`);
  yield* composed.body(true);
}
