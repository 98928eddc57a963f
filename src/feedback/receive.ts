import type { Ctx } from "../context.ts";
import {
  applyFacts,
  type EmailState,
  type Fact,
  findState,
  moveRecipient,
  type Outcome,
  recipientKey,
} from "../emails/index.ts";
import { concat, utf8 } from "../lib/bytes.ts";
import { uuidOf } from "../lib/ids.ts";
import type { Feedback } from "../mail/reports/index.ts";
import { readFeedback } from "../mail/reports/index.ts";
import { type AddressedMail, readReturnPath } from "../mail-tokens/index.ts";
import { toComplaintFact, toFact } from "./to-outcome.ts";

/** A message that came to an address of ours, whichever door it came through. */
export interface ReturnedMail {
  /** Envelope sender; empty for the null reverse-path. */
  from: string;
  /** Envelope recipient. */
  to: string;
  raw: Uint8Array;
}

/** Events of an email past which feedback that changes nothing leaves none. */
const MAX_EVENTS = 200;

/**
 * Takes in what came back: a DSN (RFC 3464), a bounce in words, or an abuse report (RFC 5965). It is believed only
 * with a return path that carries our MAC, and only about recipients of that very mail; the same message twice is
 * one event. Answers what it was taken for; `unknown` for an address that is no return path of ours, and then nothing
 * was looked at. Nothing of it reaches a mailbox (decisions 9).
 */
export async function receiveFeedback(ctx: Ctx, mail: ReturnedMail): Promise<Feedback["kind"] | "unknown"> {
  const roots = ctx.settings.masterKeys;
  const addressed = await readReturnPath(roots, mail.to);
  const isAbuseDesk = isDesk(mail.to, ctx.settings.bounceDomain);
  if (!addressed && !isAbuseDesk) return "unknown";
  const feedback = readFeedback(mail.raw, mail.from === "");
  // A feedback loop sends its reports to one address for all: the return path of the mail complained of is in them.
  const about = addressed ?? (await complainedOf(ctx, feedback));
  const state = about && (await findState(ctx, about));
  if (!state) return feedback.kind;
  const facts = await factsOf(state, about, feedback, mail.raw, ctx.now());
  if (facts.length > 0) await applyFacts(ctx, [{ state, facts, attempt: 0 }]);
  return feedback.kind;
}

/** Addresses that operators of mailboxes register for their reports. */
function isDesk(address: string, bounceDomain: string): boolean {
  return ["abuse", "fbl"].some((local) => address.toLowerCase() === `${local}@${bounceDomain}`);
}

function complainedOf(ctx: Ctx, feedback: Feedback): Promise<AddressedMail | null> | null {
  if (feedback.kind !== "complaint" || feedback.originalMailFrom === null) return null;
  return readReturnPath(ctx.settings.masterKeys, feedback.originalMailFrom.replace(/^<|>$/g, ""));
}

async function factsOf(
  state: EmailState,
  about: AddressedMail,
  feedback: Feedback,
  raw: Uint8Array,
  at: number,
): Promise<Fact[]> {
  const found: { key: string; outcome: Outcome }[] = [];
  const add = (named: readonly (string | null)[], outcome: Outcome | null) => {
    const key = recipientOf(state, about, named);
    if (key !== null && outcome) found.push({ key, outcome });
  };
  if (feedback.kind === "complaint") add([feedback.originalRecipient], toComplaintFact(feedback));
  if (feedback.kind === "dsn" || feedback.kind === "bounce") {
    for (const reported of feedback.recipients) add([reported.recipient, reported.finalRecipient], toFact(reported));
  }
  // Whoever got the mail can write to its return path: what is told twice counts once, and past a point only what
  // changes something is written down.
  const unique = [...new Map(found.map((one) => [`${one.key} ${one.outcome.on}`, one])).values()];
  const isFull = state.events.length >= MAX_EVENTS;
  const told = unique.filter(({ key, outcome }) => !isFull || moves(state, key, outcome));
  return Promise.all(
    told.map(async ({ key, outcome }) => {
      const id = await uuidOf(concat([utf8(`${state.id} ${key} ${outcome.on}\n`), raw]));
      return { id, recipient: key, at, ...outcome };
    }),
  );
}

function moves(state: EmailState, key: string, { on }: Outcome): boolean {
  const recipient = state.recipients.find((candidate) => recipientKey(candidate) === key);
  return recipient !== undefined && moveRecipient(recipient.state, on).to !== recipient.state;
}

/** Whom a report is about: the return path knows when it was for one, else the report has to name one of the mail's. */
function recipientOf(state: EmailState, about: AddressedMail, named: readonly (string | null)[]): string | null {
  const keys = state.recipients.map(recipientKey);
  if (about.recipient !== "all") return keys[about.recipient] ?? null;
  const [only] = keys;
  if (only !== undefined && keys.length === 1) return only;
  const wanted = named.flatMap((address) => (address === null ? [] : [address.toLowerCase()]));
  return keys.find((key) => wanted.includes(key)) ?? null;
}
