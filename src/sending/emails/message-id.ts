import { lowerCaseAscii } from "../../lib/addresses.ts";

/** SQL for the Message-ID that an email gets when its address has the registered form of its domain, which nearly all have. */
export const DERIVED_MESSAGE_ID_SQL =
  "'<' || id || '@' || lower(substr(from_email, instr(from_email, '@') + 1)) || '>'";

/** Returns the Message-ID of an email. The row of a settled one stores it only when it cannot be derived. */
export function messageIdOf(row: { id: string; messageId: string; fromEmail: string }): string {
  if (row.messageId !== "") return row.messageId;
  const { id, fromEmail } = row;
  return `<${id}@${lowerCaseAscii(fromEmail.slice(fromEmail.indexOf("@") + 1))}>`;
}

/** Returns what a row stores for the Message-ID of an email: nothing when it can be derived. */
export function shortenMessageId(email: { id: string; messageId: string; fromEmail: string }): string {
  return messageIdOf({ ...email, messageId: "" }) === email.messageId ? "" : email.messageId;
}
