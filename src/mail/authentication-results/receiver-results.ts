import { type AuthenticationResults, parseResults } from "./parse.ts";

/** Results that the server which received a message wrote above it. */
export interface ReceiverResults extends AuthenticationResults {
  /** True when that server has sealed the message (RFC 8617) above its results. */
  isSealed: boolean;
}

/** Characters and fields in which the trace fields of the receiver are. */
const MAX_CHARACTERS = 65_536;
const MAX_FIELDS = 100;

const RESULTS = /^(?:(arc-)?authentication-results)[ \t]*:([\s\S]*)$/i;

/**
 * Returns the results that a trusted server wrote when it received a message; null when there are none. `head` is the header of
 * the message. The server writes its fields above all others and begins with Received (RFC 5321 4.4). So only the first field
 * of results counts, and only above the second Received field; it must have the authserv-id of the server. Whatever stands
 * below it may come from the sender (RFC 8601 5). Of ARC the same results are read (RFC 8617 4.1.1). Pure.
 */
export function readReceiverResults(head: string, authservId: string): ReceiverResults | null {
  const fields = head.slice(0, MAX_CHARACTERS).split(/\r?\n(?![ \t])/, MAX_FIELDS);
  if (!isReceived(fields[0])) return null;
  let isSealed = false;
  for (const field of fields.slice(1)) {
    if (field === "" || isReceived(field)) return null;
    isSealed ||= /^arc-seal[ \t]*:/i.test(field);
    const [, arc, folded] = RESULTS.exec(field) ?? [];
    if (folded === undefined) continue;
    const value = folded.replace(/\r?\n(?=[ \t])/g, "");
    const parsed = parseResults(arc === undefined ? value : value.replace(/^\s*i\s*=\s*\d{1,2}\s*;/i, ""));
    return parsed?.authservId === authservId.toLowerCase() ? { ...parsed, isSealed } : null;
  }
  return null;
}

const isReceived = (field = "") => /^received[ \t]*:/i.test(field);
