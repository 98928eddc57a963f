import type { Complaint } from "./feedback.ts";
import { type Fields, readFields } from "./fields.ts";
import { addressOf, messageIdOf, oneLine } from "./values.ts";

/** Reads the body of a message/feedback-report (RFC 5965 3), and the header of the mail it is about. */
export function readComplaint(octets: Uint8Array, original: Fields | null): Complaint {
  const { fields } = readFields(octets, leadingEmptyLines(octets), octets.length);
  return {
    kind: "complaint",
    // RFC 5965 requires it; a report without is one of abuse all the same.
    feedbackType: /^[a-z0-9-]+/i.exec(fields.get("feedback-type") ?? "")?.[0].toLowerCase() ?? "abuse",
    originalRecipient: firstAddress(fields.all("original-rcpt-to")),
    originalMailFrom: addressOf(fields.get("original-mail-from")) ?? addressOf(original?.get("return-path") ?? null),
    originalMessageId: messageIdOf(original?.get("message-id") ?? null),
    userAgent: oneLine(fields.get("user-agent")),
    sourceIp: /^\[?([0-9a-f.:]{3,45})\]?/i.exec(fields.get("source-ip") ?? "")?.[1]?.toLowerCase() ?? null,
  };
}

/**
 * Outlook.com's older reports (JMRP): the mail enclosed, the recipient in a field of its own. Null for any other
 * mail.
 */
export function readEnclosedComplaint(message: Fields, original: Fields | null): Complaint | null {
  const recipient = original?.get("x-hmxmroriginalrecipient") ?? null;
  if (recipient === null || !/staff@(?:hotmail|outlook)\.com/i.test(message.get("from") ?? "")) return null;
  return {
    kind: "complaint",
    feedbackType: "abuse",
    originalRecipient: addressOf(recipient),
    originalMailFrom: addressOf(original?.get("return-path") ?? null),
    originalMessageId: messageIdOf(original?.get("message-id") ?? null),
    userAgent: null,
    sourceIp: /^\[?([0-9a-f.:]{3,45})\]?$/i.exec(original?.get("x-sid-pra-ip") ?? "")?.[1] ?? null,
  };
}

const firstAddress = (values: readonly string[]) => values.map(addressOf).find((address) => address !== null) ?? null;

function leadingEmptyLines(octets: Uint8Array): number {
  let at = 0;
  while (octets[at] === 0x0d || octets[at] === 0x0a) at++;
  return at;
}
