/** Replies of real mail systems and the states of email that follow from them, by the rules only. */
import { describe, expect, it } from "vitest";
import { applyReplies } from "../../smtp-egress/apply-replies.ts";
import { ReceiverPace } from "../../smtp-egress/receiver-pace.ts";
import { noteReply, type SeenReplies } from "../../smtp-egress/receivers/reactions.ts";
import { receiverOf } from "../../smtp-egress/receivers/receiver-of.ts";
import { toLine } from "../../smtp-egress/receivers/reply-line.ts";
import { isSlowDown } from "../../smtp-egress/receivers/slow-down.ts";
import { commonRules } from "../../smtp-egress/receivers/table.ts";
import type { ReportedResult } from "../../src/mail/egress-tickets/report.ts";
import { ReplyParser, toReply } from "../../src/mail/smtp/replies.ts";
import { toOutcome } from "../../src/sending/delivery/record/outcome.ts";
import { type ProviderReply, providerReplies, type State } from "./provider-replies.ts";

const attempt = { relay: "mx.test", number: 1, nextAt: 1_800_000_000_000, afterInterruption: false };

/** Returns a reply as the SMTP client reads it. */
function parse(text: string) {
  const parser = new ReplyParser();
  parser.feed(new TextEncoder().encode(`${text.replaceAll("\n", "\r\n")}\r\n`));
  const raw = parser.next();
  if (!raw || parser.pending) throw new Error(`not one reply: ${text}`);
  return toReply(raw);
}

/** Returns the result of a transaction in which this reply comes. */
function toResult({ phase, reply: text, mx, receiver }: ProviderReply): ReportedResult {
  const reply = parse(text);
  const relay = { relay: mx, receiver };
  if (reply.code < 300) return { kind: "accepted", reply, ...relay };
  // A greeting refuses the connection and not the message: another MX host or another time may take it (RFC 5321 4.2.1).
  if (reply.code < 500 || phase === "greeting")
    return { kind: "deferred", phase, reply, reason: "a temporary failure", ...relay };
  return phase === "rcpt"
    ? { kind: "recipient-refused", phase, reply, ...relay }
    : { kind: "message-refused", phase, reply, ...relay };
}

/** Returns the outcome of the Worker after the receiver's rules have seen the result. */
function toOutcomeOf(row: ProviderReply) {
  const pace = new ReceiverPace(receiverOf([row.mx]), null, () => {}, 0);
  const [result] = applyReplies(pace, [toResult(row)], { now: 0, bytes: 0 });
  if (!result || result.kind === "held" || result.kind === "paced" || result.kind === "returned")
    throw new Error("no attempt");
  return toOutcome(result.kind === "accepted" ? { ...result, dsnRequested: false } : result, attempt);
}

function stateOf({ on, metadata }: ReturnType<typeof toOutcome>): State {
  if (on === "accepted-final") return "delivered";
  if (on === "recipient-refused") return metadata?.bounce_type === "hard" ? "hard" : "soft";
  return on === "message-refused" ? "rejected" : "deferred";
}

describe("replies of providers", () => {
  it("are at least 150, each different at its receiver", () => {
    expect(providerReplies.length).toBeGreaterThanOrEqual(150);
    const keys = providerReplies.map(({ mx, phase, reply }) => `${mx} ${phase} ${reply}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(providerReplies.map((row) => [`${row.receiver}, ${row.phase}: ${row.reply.slice(0, 90)}`, row] as const))(
    "%s",
    (_, row) => {
      const receiver = receiverOf([row.mx]);
      expect(receiver.name).toBe(row.receiver);
      const rules = [...receiver.rules, ...commonRules];
      const reply = parse(row.reply);
      const line = toLine(reply);
      const outcome = toOutcomeOf(row);
      expect(outcome.metadata?.response).toBe(line);
      expect.soft(stateOf(outcome), "state").toBe(row.state);
      expect.soft(isSlowDown(reply) || acts(rules, line), "paces").toBe(row.paces);
    },
  );
});

/** Returns whether a rule acts after many of these replies. */
function acts(rules: Parameters<typeof noteReply>[1], reply: string): boolean {
  let seen: SeenReplies = new Map();
  for (let n = 0; n < 100; n++) {
    const noted = noteReply(seen, rules, { reply, now: n });
    if (noted.reaction) return noted.reaction.action.kind !== "bounce";
    seen = noted.seen;
  }
  return false;
}
