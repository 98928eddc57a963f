import type { Authentication, CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import { decodeField, type ParsedMessage } from "../../mail/messages/parse.ts";
import { limits } from "./rules.ts";
import type { NewMessage } from "./types.ts";

/** The fields of a message's record beside the message itself. */
export interface Reception extends Pick<NewMessage, "object" | "folder" | "size" | "deliveryKey"> {
  authentication: CheckedAuthentication | null;
  /** The recipient of the envelope, a canonical address. */
  deliveredTo?: string;
  /** When the mailbox got it, in ms since 1970. */
  now: number;
}

/** Returns the record of an unread message, as a mailbox stores it. */
export function toNewMessage(
  parsed: ParsedMessage,
  { object, folder, size, authentication, deliveryKey, deliveredTo, now }: Reception,
): NewMessage {
  const { fields, text, ...message } = parsed;
  const listId = fields.get("list-id");
  return {
    ...message,
    object,
    folder,
    receivedAt: now,
    preview: toPreview(text),
    searchText: text,
    size,
    authentication: authentication && JSON.stringify(toStored(authentication)),
    deliveredTo: deliveredTo ?? null,
    listId: listId === null ? null : decodeField(listId),
    seen: false,
    draft: false,
    deliveryKey,
  };
}

const toStored = ({ spf, dkim, dmarc }: CheckedAuthentication): Authentication => ({ spf, dkim, dmarc });

/** Returns the beginning of a text in one line. */
function toPreview(text: string): string {
  const line = text.slice(0, 4 * limits.previewCharacters).replace(/[\s\p{Cc}]+/gu, " ");
  // Does not end within a surrogate pair.
  return Array.from(line.trim()).slice(0, limits.previewCharacters).join("");
}
