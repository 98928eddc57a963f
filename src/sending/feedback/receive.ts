import { addressKey } from "../../lib/addresses.ts";
import { concat, utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import type { Feedback } from "../../mail/reports/feedback.ts";
import { parseFeedback } from "../../mail/reports/parse.ts";
import type { Ctx } from "../../platform/context.ts";
import type { MailReference } from "../../platform/mail-tokens/codec.ts";
import { readReturnPath } from "../../platform/mail-tokens/return-path.ts";
import {
  applyFacts,
  type EmailState,
  type Fact,
  findEmail,
  type Outcome,
  recipientKey,
  transitionOf,
} from "../emails/index.ts";
import { isCfblAddress } from "./cfbl-headers.ts";
import { toComplaintOutcome, toReportOutcome } from "./to-outcome.ts";

/** A message that arrived for an address of this service. */
export interface ReturnedMail {
  /** Envelope sender; empty for the null reverse-path. */
  from: string;
  /** Envelope recipient. */
  to: string;
  raw: Uint8Array;
}

/** Events of an email beyond which feedback is recorded only when it changes a recipient's state. */
const MAX_EVENTS = 200;

/**
 * Records a DSN (RFC 3464), a bounce in plain text or an abuse report (RFC 5965) on the email that it is about. Feedback counts only with a
 * signed return path, and only for recipients of that email. A message that arrives twice is recorded once. Returns the kind of the
 * message, or `unknown` when the recipient is no address of this service; then the message is not read.
 */
export async function receiveFeedback(ctx: Ctx, mail: ReturnedMail): Promise<Feedback["kind"] | "unknown"> {
  const reference = await readReturnPath(ctx.settings.masterKeys, mail.to);
  if (!reference && !isFeedbackAddress(mail.to, ctx.settings.bounceDomain)) return "unknown";
  const feedback = parseFeedback(mail.raw, mail.from === "");
  // A feedback loop sends all reports to one address; the reported mail carries its return path.
  const about = reference ?? (await readComplaintReference(ctx, feedback));
  const found = about && (await findEmail(ctx, about));
  if (!found) return feedback.kind;
  const facts = await toFacts(found.state, about, feedback, { at: ctx.now(), source: mail.raw });
  if (facts.length > 0) await applyFacts(found.ctx, [{ state: found.state, facts, attempt: 0 }]);
  return feedback.kind;
}

/** Returns whether an address receives feedback: a signed return path, or an address for complaints. */
export async function isFeedbackRecipient(ctx: Ctx, address: string): Promise<boolean> {
  const { masterKeys, bounceDomain } = ctx.settings;
  if (isCfblAddress(ctx, address) || isFeedbackAddress(address, bounceDomain)) return true;
  return (await readReturnPath(masterKeys, address)) !== null;
}

/** Returns whether reports of feedback loops are sent to an address (RFC 2142, RFC 6449). */
function isFeedbackAddress(address: string, bounceDomain: string): boolean {
  return ["abuse", "fbl"].some((local) => address.toLowerCase() === `${local}@${bounceDomain}`);
}

function readComplaintReference(ctx: Ctx, feedback: Feedback): Promise<MailReference | null> | null {
  if (feedback.kind !== "complaint" || feedback.originalMailFrom === null) return null;
  return readReturnPath(ctx.settings.masterKeys, feedback.originalMailFrom.replace(/^<|>$/g, ""));
}

/** Returns the facts of a message about an email. Two facts of one recipient and outcome with the same `source` are one. */
export async function toFacts(
  state: EmailState,
  about: MailReference,
  feedback: Feedback,
  { at, source }: { at: number; source: Uint8Array },
): Promise<Fact[]> {
  const unique = new Map<string, { key: string; outcome: Outcome }>();
  for (const { addresses, outcome } of aboutReference(toOutcomes(feedback), state, about)) {
    const key = findRecipient(state, about, addresses);
    if (key === null) continue;
    // One fact per recipient and outcome, however often the report names it. The outcome that suppresses least is kept.
    const name = `${key} ${outcome.on}`;
    const known = unique.get(name);
    if (!known || severity(outcome) < severity(known.outcome)) unique.set(name, { key, outcome });
  }
  // Every recipient can write to its return path, so the number of events is bounded.
  const isFull = state.events.length >= MAX_EVENTS;
  const recorded = [...unique.values()].filter(({ key, outcome }) => !isFull || changesState(state, key, outcome));
  return Promise.all(
    recorded.map(async ({ key, outcome }) => {
      const id = await uuidFromHash(concat([utf8(`${state.id} ${key} ${outcome.on}\n`), source]));
      return { id, recipient: key, at, ...outcome };
    }),
  );
}

const severity = ({ suppress }: Outcome) => (suppress === undefined ? 0 : suppress === "domain-failure" ? 1 : 2);

interface NamedOutcome {
  addresses: readonly (string | null)[];
  outcome: Outcome;
}

/** Returns the outcomes of a message, each with the addresses by which it names its recipient. */
function toOutcomes(feedback: Feedback): NamedOutcome[] {
  if (feedback.kind === "complaint") {
    const outcome = toComplaintOutcome(feedback);
    return outcome ? [{ addresses: [feedback.originalRecipient], outcome }] : [];
  }
  if (feedback.kind !== "dsn" && feedback.kind !== "bounce") return [];
  return feedback.recipients.map((reported) => ({
    addresses: [reported.recipient, reported.finalRecipient],
    outcome: toReportOutcome(reported),
  }));
}

/** Keeps the outcomes of the only recipient, when one names it. The others are about addresses to which it forwards. */
function aboutReference(outcomes: NamedOutcome[], state: EmailState, about: MailReference): NamedOutcome[] {
  const keys = state.recipients.map(recipientKey);
  const only = about.recipient === "all" ? (keys.length === 1 ? keys[0] : undefined) : keys[about.recipient];
  const named = outcomes.filter(({ addresses }) =>
    addresses.some((address) => address !== null && addressKey(address) === only),
  );
  return named.length > 0 ? named : outcomes;
}

function changesState(state: EmailState, key: string, { on }: Outcome): boolean {
  const recipient = state.recipients.find((candidate) => recipientKey(candidate) === key);
  return recipient !== undefined && transitionOf(recipient.state, on).to !== recipient.state;
}

/**
 * Returns the key of the recipient that a report is about: the return path's recipient when it has one, else the
 * email's only recipient, else the one that the report names. Returns null when the report names none of the email's.
 */
function findRecipient(state: EmailState, about: MailReference, addresses: readonly (string | null)[]): string | null {
  const keys = state.recipients.map(recipientKey);
  if (about.recipient !== "all") return keys[about.recipient] ?? null;
  const [only] = keys;
  if (only !== undefined && keys.length === 1) return only;
  const wanted = addresses.flatMap((address) => (address === null ? [] : [addressKey(address)]));
  return keys.find((key) => wanted.includes(key)) ?? null;
}
