import { Buffer } from "node:buffer";
import { reversedName } from "../../domains/domains/index.ts";
import { canonicalDomain } from "../../lib/address-domain.ts";
import { utf8 } from "../../lib/bytes.ts";
import { isAtOrBelow } from "../../lib/is-at-or-below.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import { parseOnlyMailbox } from "../../mail/raw/address-fields.ts";
import { fieldValue, parseFields } from "../../mail/raw/fields.ts";
import type { Complaint } from "../../mail/reports/feedback.ts";
import { parseFeedback } from "../../mail/reports/parse.ts";
import { decodeHeader } from "../../mail/texts/decode-header.ts";
import type { Ctx } from "../../platform/context.ts";
import type { MailReference } from "../../platform/mail-tokens/codec.ts";
import { readFeedbackId } from "../../platform/mail-tokens/feedback-id.ts";
import { readReturnPath } from "../../platform/mail-tokens/return-path.ts";
import { applyFacts, type EmailState, findEmail, recipientKey } from "../emails/index.ts";
import { toFacts } from "./receive.ts";

/** The result of a message to the address of CFBL-Address. Only `counted` changes anything. */
export type CfblResult = "counted" | "not authenticated" | "no complaint" | "unknown email";

interface CfblReport {
  /** The message: at most the first MiB, of which at most 1,000 parts are read (src/mail/reports/split-message.ts). */
  raw: Uint8Array;
  /** Results of the server that received it; null when nothing is known. */
  authentication: CheckedAuthentication | null;
}

/** Bytes in which the header of a report is. */
const HEAD_BYTES = 65_536;
/** A Message-ID that this service made: the id of the email, and the domain of its sender. */
const OWN_MESSAGE_ID = /^<([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@([^<>@\s]{1,253})>$/i;

/**
 * Counts the report of a mailbox provider (RFC 9477 3.5, RFC 5965) as a complaint about the email that it contains. It counts only
 * with a valid DKIM signature that matches the domain of its From field, and once for each recipient of an email, however many
 * reports there are. XARF is not requested, and is not read. Throws when it could not be stored; it may be repeated.
 */
export async function receiveCfblReport(ctx: Ctx, { raw, authentication }: CfblReport): Promise<CfblResult> {
  const signer = findSigner(raw, authentication);
  if (signer === null) return "not authenticated";
  const feedback = parseFeedback(raw);
  if (feedback.kind !== "complaint" || feedback.feedbackType === "xarf") return "no complaint";
  const about = await findReference(ctx, feedback);
  const found = about && (await findEmail(ctx, about));
  if (!found || (about.recipient === "all" && !isOwnProvider(found.state, signer))) return "unknown email";
  const facts = await toFacts(found.state, about, feedback, { at: ctx.now(), source: utf8("cfbl") });
  if (facts.length === 0) return "no complaint";
  await applyFacts(found.ctx, [{ state: found.state, facts, attempt: 0 }]);
  return "counted";
}

/**
 * Returns the domain whose DKIM signature is valid and matches the only address of From: the same domain, or one above it
 * (RFC 9477 3.1.2, 3.5). Null without one, and when DMARC fails all the same, as it does under a strict policy.
 */
function findSigner(raw: Uint8Array, authentication: CheckedAuthentication | null): string | null {
  if (!authentication || authentication.dmarc?.result === "fail") return null;
  const from = fromDomain(raw);
  const passing = authentication.dkim.flatMap(({ result, domain }) =>
    result === "pass" && domain !== null ? (canonicalDomain(domain) ?? []) : [],
  );
  return passing.find((domain) => from !== null && isAtOrBelow(from, domain)) ?? null;
}

/** Returns the domain of the only mailbox of the only From field; null for any other message. */
function fromDomain(raw: Uint8Array): string | null {
  const { buffer, byteOffset, byteLength } = raw.subarray(0, HEAD_BYTES);
  const [head = ""] = Buffer.from(buffer, byteOffset, byteLength)
    .toString("latin1")
    .split(/\r?\n\r?\n/, 1);
  const fields = parseFields(`${head.replace(/\r?\n/g, "\r\n")}\r\n`, true);
  if (fields.filter(({ name }) => name.toLowerCase() === "from").length !== 1) return null;
  return parseOnlyMailbox(decodeHeader(fieldValue(fields, "from") ?? ""))?.address.domain ?? null;
}

/**
 * Returns the email that a report is about: by the token of CFBL-Feedback-ID or by the return path, which must name the same email
 * when both are there, and without either by a Message-ID of this service. The recipient is `all` for a Message-ID, since it is no
 * secret: it is in the References of every reply.
 */
async function findReference(ctx: Ctx, complaint: Complaint): Promise<MailReference | null> {
  const { masterKeys } = ctx.settings;
  const { originalFeedbackId: given, originalMailFrom: mailFrom } = complaint;
  const token = given === null ? null : await readFeedbackId(masterKeys, given);
  if (given !== null && !token) return null;
  const path = mailFrom === null ? null : await readReturnPath(masterKeys, mailFrom.replace(/^<|>$/g, ""));
  if (token && path && !isSameEmail(token, path)) return null;
  const found = token ?? path;
  if (found) return found.recipient === "all" ? null : found;
  return findByMessageId(ctx, complaint.originalMessageId ?? "");
}

const isSameEmail = (a: MailReference, b: MailReference) =>
  a.workspace === b.workspace && a.emailId === b.emailId && a.recipient === b.recipient;

const FIND_WORKSPACE = "SELECT workspace FROM domains WHERE reversed_name = ?1 AND status = 'verified'";

/** Costs one read of the main database, by the unique index of verified domains. */
async function findByMessageId(ctx: Ctx, messageId: string): Promise<MailReference | null> {
  const [, emailId = "", name = ""] = OWN_MESSAGE_ID.exec(messageId) ?? [];
  const domain = canonicalDomain(name);
  if (domain === null) return null;
  const row = await ctx.db.findRow<{ workspace: number }>(FIND_WORKSPACE, reversedName(domain));
  return row && { workspace: row.workspace, emailId: emailId.toLowerCase(), recipient: "all" };
}

/** Returns whether the only recipient of an email has an address of this domain or below it, so that its provider wrote the report. */
function isOwnProvider({ recipients }: EmailState, signer: string): boolean {
  const [only] = recipients;
  if (!only || recipients.length !== 1) return false;
  const key = recipientKey(only);
  return isAtOrBelow(canonicalDomain(key.slice(key.lastIndexOf("@") + 1)) ?? "", signer);
}
