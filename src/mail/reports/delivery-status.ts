import type { Action, ReportedRecipient } from "./feedback.ts";
import { Fields, readFields } from "./fields.ts";
import { hostOf, oneLine, statusIn, typed, typedAddressOf } from "./values.ts";

/** Recipients read of one report. */
const MAX_RECIPIENTS = 1000;

/** Fields any of which makes a block one about a recipient (RFC 3464 2.3). */
const RECIPIENT_FIELDS = ["final-recipient", "original-recipient", "action", "status"];

/**
 * Reads the body of a message/delivery-status (RFC 3464 2) or message/global-delivery-status (RFC 6533 5). More
 * lenient than the RFC: recipients may share the block of the per-message fields, and blocks may be split.
 */
export function readDeliveryStatus(octets: Uint8Array): {
  recipients: ReportedRecipient[];
  originalEnvelopeId: string | null;
} {
  const blocks = blocksOf(octets);
  const recipients = blocks.filter((block) => RECIPIENT_FIELDS.some((name) => block.has(name)));
  const envelope = blocks.find((block) => block.has("original-envelope-id"));
  return {
    recipients: recipients.map(readRecipient),
    originalEnvelopeId: oneLine(envelope?.get("original-envelope-id") ?? null),
  };
}

/** Blocks of fields between empty lines; one that names no recipient adds to a recipient before it. */
function blocksOf(octets: Uint8Array): Fields[] {
  const blocks: Fields[] = [];
  for (let at = 0; at < octets.length && blocks.length <= MAX_RECIPIENTS; ) {
    const { fields, bodyAt } = readFields(octets, at, octets.length);
    at = bodyAt;
    const last = blocks.at(-1);
    const goesOn = last?.has("final-recipient") && !fields.has("final-recipient") && !fields.has("original-recipient");
    if (last && goesOn) last.addAll(fields);
    else if (fields.size > 0) blocks.push(...splitBlock(fields));
  }
  return blocks;
}

/** Several recipients in one block, where a report lacks the empty line between them. */
function splitBlock(block: Fields): Fields[] {
  const count = block.all("final-recipient").length;
  if (count < 2) return [block];
  return Array.from({ length: Math.min(count, MAX_RECIPIENTS) }, (_, i) => {
    const own = new Fields();
    for (const [name, values] of block.entries()) {
      const value = values.length === count ? values[i] : values.length === 1 ? values[0] : undefined;
      if (value !== undefined) own.add(name, value);
    }
    return own;
  });
}

function readRecipient(block: Fields): ReportedRecipient {
  const finalRecipient = typedAddressOf(block.get("final-recipient"));
  const status = statusIn(block.get("status") ?? "");
  const diagnostic = block.get("diagnostic-code");
  return {
    recipient: typedAddressOf(block.get("original-recipient")) ?? finalRecipient,
    finalRecipient,
    action: actionOf(block.get("action"), status),
    status,
    // Sun's server says why in the comment of the status.
    diagnostic: oneLine(diagnostic === null ? commentOf(block.get("status")) : typed(diagnostic).text),
    remoteMta: hostOf(block.get("remote-mta")),
  };
}

const commentOf = (value: string | null) => /\(([^()]+)\)/.exec(value ?? "")?.[1] ?? null;

/** The action; where it is missing or none of the five, what the status's class says (RFC 3463 3.1). */
function actionOf(value: string | null, status: string | null): Action {
  const word = value?.trim().toLowerCase() ?? "";
  const known = (["failed", "delayed", "delivered", "relayed", "expanded"] as const).find((name) =>
    word.startsWith(name),
  );
  if (known) return known;
  if (word.startsWith("fail") || status === null) return "failed";
  if (status.startsWith("4")) return "delayed";
  return status.startsWith("2") ? "delivered" : "failed";
}
