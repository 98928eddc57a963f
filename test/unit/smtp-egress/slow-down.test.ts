/** Tells replies that ask to send more slowly from others. */
import { describe, expect, it } from "vitest";
import { toLine } from "../../../smtp-egress/receivers/reply-line.ts";
import { isAboutBytes, isAboutRecipients, isSlowDown } from "../../../smtp-egress/receivers/slow-down.ts";
import { toReply } from "./support/replies.ts";

describe("a reply that asks to slow down", () => {
  it.each([
    "421 4.7.28 [192.0.2.1] Our system has detected an unusual rate of unsolicited mail originating from your IP address.",
    "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints",
    "451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation.",
    "451 4.7.500 Server busy. Please try again later from [192.0.2.1].",
    "421 4.7.0 Error: too many connections from 192.0.2.1",
    "450 4.7.1 Error: too much mail from 192.0.2.1",
    "452 4.3.1 Too much data within a minute: try again later",
    "452 4.3.2 Connection rate limit exceeded.",
    "421 4.3.2 The maximum number of concurrent connections has exceeded a limit, closing transmission channel",
    "421 mwinf5c79 ME Trop de connexions. Too many connections, slow down. OFR005_104 [104]",
    "421 Rate limit reached. Please try again later",
    "421 4.4.5 Too many concurrent sessions",
    "451 4.7.1 wait 300 s for outlook (Outlook): its rate is used up",
  ])("halves the window: %s", (line) => expect(isSlowDown(toReply(line))).toBe(true));
});

describe("a reply about something else", () => {
  it.each([
    // The mailbox of the recipient.
    "450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.",
    "450 4.2.1 The recipient has exceeded message rate limit. Try again later.",
    "452 4.2.2 The recipient's inbox is out of storage space.",
    "450 4.1.1 <a@example.com>: Recipient address rejected: unverified address: too many connections",
    // Greylisting.
    "451 4.7.1 Greylisting in action, please come back later",
    "450 4.7.1 <a@example.com>: Recipient address rejected: Greylisted for 5 minutes",
    "451 4.7.1 Graylisted, try again in 60 seconds",
    // The set-up of the sender.
    "450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]",
    "421 4.7.26 This mail has been rate limited because it is unauthenticated.",
    "451 4.7.24 The SPF record of the sending domain has one or more suspicious entries: temporarily rate limited.",
    "421 4.7.32 Your email has been rate limited because the From: header isn't aligned.",
    "451 4.7.5 Remote certificate failed MTA-STS validation",
    "454 4.7.0 TLS not available due to local problem",
    "421 4.7.0 This message is suspicious due to the very low reputation of the sending domain.",
    // Trouble of the receiver.
    "451 4.3.0 Mail server temporarily rejected message.",
    "451 4.7.0 Temporary server error. Please try again later. PRX4 NextHop: example.com",
    "450 4.7.3 Organization queue quota exceeded.",
    "421 4.3.2 Service not available",
    "452 4.5.3 Error: too many recipients",
    "451 Requested action aborted: local error in processing",
    // No temporary reply.
    "550 5.7.1 too many connections",
    "250 2.0.0 queued; too many connections before",
  ])("leaves the window alone: %s", (line) => expect(isSlowDown(toReply(line))).toBe(false));
});

it.each([
  ["452 4.3.1 Too many bytes from your address", true],
  ["421 4.7.0 You have sent more than 500 KB within a minute", true],
  ["421 4.7.0 Bandwidth exceeded, slow down", true],
  ["421 4.7.0 Messages temporarily deferred due to unexpected volume", false],
  ["450 4.7.1 Error: too much mail", false],
])("is about bytes, and not about messages: %s %s", (line, expected) => {
  expect(isAboutBytes(toReply(line))).toBe(expected);
});

it.each([
  ["452 4.5.3 Error: too many recipients", true],
  ["452 Too many recipients", true],
  ["452 4.2.2 Mailbox full, too many recipients", false],
  ["450 4.2.1 Try again later", false],
])("is about the recipients of a message: %s %s", (line, expected) => {
  expect(isAboutRecipients(toReply(line))).toBe(expected);
});

it("is tested by rules on one line: code, enhanced code and text", () => {
  expect(toLine({ code: 421, enhanced: "4.7.0", text: "slow down" })).toBe("421 4.7.0 slow down");
  expect(toLine({ code: 421, enhanced: null, text: "slow down" })).toBe("421 slow down");
  expect(toLine({ code: 421, enhanced: null, text: "" })).toBe("421");
});
