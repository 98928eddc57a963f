import { type Fields, lineEnd, nextLine, readFields } from "../texts/fields.ts";
import type { Action, ReportedRecipient } from "./feedback.ts";
import { findPhase } from "./phase.ts";
import { findStatus, oneLine, parseHost, parseTyped, parseTypedAddress } from "./values.ts";

/** Recipients that are read from one report. */
const MAX_RECIPIENTS = 1000;

/** A block with any of these fields is about a recipient (RFC 3464 2.3). */
const RECIPIENT_FIELDS = ["final-recipient", "original-recipient", "action", "status"];

/**
 * Parses the body of a message/delivery-status (RFC 3464 2) or message/global-delivery-status (RFC 6533 5). Also takes
 * recipients in the block of the per-message fields, and blocks that an empty line splits.
 */
export function parseDeliveryStatus(bytes: Uint8Array): {
  recipients: ReportedRecipient[];
  originalEnvelopeId: string | null;
} {
  const blocks = readBlocks(bytes);
  const recipients = blocks.filter((block) => RECIPIENT_FIELDS.some((name) => block.has(name)));
  const envelope = blocks.find((block) => block.has("original-envelope-id"));
  return {
    recipients: recipients.map(readRecipient),
    originalEnvelopeId: oneLine(envelope?.get("original-envelope-id") ?? null),
  };
}

/** Reads the blocks of recipients, with or without empty lines between them. A block without a recipient continues the one before it. */
function readBlocks(bytes: Uint8Array): Fields[] {
  const blocks: Fields[] = [];
  for (let at = 0; at < bytes.length && blocks.length <= MAX_RECIPIENTS; ) {
    const { fields, bodyAt } = readFields(bytes, at, nextRecipient(bytes, at));
    at = bodyAt;
    const last = blocks.at(-1);
    const isContinuation =
      last?.has("final-recipient") && !fields.has("final-recipient") && !fields.has("original-recipient");
    if (last && isContinuation) last.addAll(fields);
    else if (fields.size > 0) blocks.push(fields);
  }
  return blocks;
}

const NAMES_RECIPIENT = /^(final|original)-recipient\s*:/i;
const ascii = new TextDecoder("latin1");

/**
 * Returns the index of the line at which the fields of the next recipient begin, when no empty line comes before it: its
 * Final-Recipient, or the Original-Recipient right above. Else the end of the block.
 */
function nextRecipient(bytes: Uint8Array, from: number): number {
  let hasRecipient = false;
  let original: number | null = null;
  for (let at = from; at < bytes.length; ) {
    const end = lineEnd(bytes, at, bytes.length);
    if (end === at) return nextLine(bytes, end, bytes.length);
    const kind = NAMES_RECIPIENT.exec(ascii.decode(bytes.subarray(at, Math.min(end, at + 24))))?.[1]?.toLowerCase();
    if (kind === "final" && hasRecipient) return original ?? at;
    hasRecipient ||= kind === "final";
    original = kind === "original" ? at : null;
    at = nextLine(bytes, end, bytes.length);
  }
  return bytes.length;
}

function readRecipient(block: Fields): ReportedRecipient {
  const finalRecipient = parseTypedAddress(block.get("final-recipient"));
  const status = findStatus(block.get("status") ?? "");
  const diagnostic = block.get("diagnostic-code");
  return {
    recipient: parseTypedAddress(block.get("original-recipient")) ?? finalRecipient,
    finalRecipient,
    action: parseAction(block.get("action"), status),
    status,
    // Sun Messaging Server writes the reason as a comment of the status.
    diagnostic: oneLine(diagnostic === null ? findComment(block.get("status")) : parseTyped(diagnostic).text),
    remoteMta: parseHost(block.get("remote-mta")),
    phase: findPhase(diagnostic ?? ""),
  };
}

const findComment = (value: string | null) => /\(([^()]+)\)/.exec(value ?? "")?.[1] ?? null;

/** Returns the action, or the one that the class of the status implies (RFC 3463 3.1) when it is missing or unknown. */
function parseAction(value: string | null, status: string | null): Action {
  const word = value?.trim().toLowerCase() ?? "";
  const known = (["failed", "delayed", "delivered", "relayed", "expanded"] as const).find((name) =>
    word.startsWith(name),
  );
  if (known) return known;
  if (word.startsWith("fail") || status === null) return "failed";
  if (status.startsWith("4")) return "delayed";
  return status.startsWith("2") ? "delivered" : "failed";
}
