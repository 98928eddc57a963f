import { type Fields, readBlock } from "../texts/fields.ts";
import type { Complaint } from "./feedback.ts";
import { findMessageId, oneLine, parseAddress } from "./values.ts";

/** Parses the body of a message/feedback-report (RFC 5965 3). `original` is the header of the reported mail. */
export function parseComplaint(bytes: Uint8Array, original: Fields | null): Complaint {
  const fields = readBlock(bytes);
  return {
    kind: "complaint",
    // RFC 5965 3.1 requires the field; a report without it counts as abuse.
    feedbackType: /^[a-z0-9-]+/i.exec(fields.get("feedback-type") ?? "")?.[0].toLowerCase() ?? "abuse",
    originalRecipient:
      fields
        .all("original-rcpt-to")
        .map(parseAddress)
        .find((address) => address !== null) ?? null,
    originalMailFrom:
      parseAddress(fields.get("original-mail-from")) ?? parseAddress(original?.get("return-path") ?? null),
    originalMessageId: findMessageId(original?.get("message-id") ?? null),
    originalFeedbackId: original?.get("cfbl-feedback-id") ?? null,
    userAgent: oneLine(fields.get("user-agent")),
    sourceIp: /^\[?([0-9a-f.:]{3,45})\]?/i.exec(fields.get("source-ip") ?? "")?.[1]?.toLowerCase() ?? null,
  };
}

/** Parses a report of Outlook.com's JMRP that encloses the reported mail and is no ARF. Returns null for any other mail. */
export function parseEnclosedComplaint(message: Fields, original: Fields | null): Complaint | null {
  const recipient = original?.get("x-hmxmroriginalrecipient") ?? null;
  if (recipient === null || !/staff@(?:hotmail|outlook)\.com/i.test(message.get("from") ?? "")) return null;
  return {
    kind: "complaint",
    feedbackType: "abuse",
    originalRecipient: parseAddress(recipient),
    originalMailFrom: parseAddress(original?.get("return-path") ?? null),
    originalMessageId: findMessageId(original?.get("message-id") ?? null),
    originalFeedbackId: original?.get("cfbl-feedback-id") ?? null,
    userAgent: null,
    sourceIp: /^\[?([0-9a-f.:]{3,45})\]?$/i.exec(original?.get("x-sid-pra-ip") ?? "")?.[1] ?? null,
  };
}

/** Types of abuse reports that are no complaint (RFC 5965 7.3, RFC 6591, RFC 6430). */
export const NON_COMPLAINT_TYPES: readonly { feedbackType: string; because: string }[] = [
  { feedbackType: "not-spam", because: "the recipient wants the mail" },
  { feedbackType: "auth-failure", because: "a report about SPF, DKIM or DMARC" },
  { feedbackType: "dkim", because: "the type that RFC 6591 replaced" },
  { feedbackType: "virus", because: "sent by a scanner" },
];
