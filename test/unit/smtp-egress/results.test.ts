/** Results as the Worker takes them. */
import { expect, it } from "vitest";
import { pacedReply, pacedResult, toReported } from "../../../smtp-egress/results.ts";

const receiver = { name: "one.test", label: "One", mxSuffixes: [], limits: {}, rules: [] };

it("a reply that is cut within a character is well-formed in a report", () => {
  const paced = pacedResult(receiver, { ms: 1_000, reason: `${"x".repeat(199)}\u{1f40c}` });
  expect(paced).toHaveProperty("reason.length", 200);
  expect(toReported(paced)).toMatchObject({ kind: "paced", seconds: 1, reason: `${"x".repeat(199)}\ufffd` });
});

it("names of the DNS of a recipient have no NUL and at most 255 characters in a report", () => {
  const relay = `m\0x.${"y".repeat(300)}`;
  const reply = { code: 250, enhanced: null, text: "ok" };
  const reported = toReported({ kind: "accepted", reply, relay, receiver: relay });
  const name = `m?x.${"y".repeat(251)}`;
  expect(reported).toEqual({ kind: "accepted", reply, relay: name, receiver: name });
});

it("a reason has at most 1,000 characters in a report", () => {
  const deferred = { kind: "deferred", phase: "connect", reply: null, reason: "z".repeat(2_000) } as const;
  expect(toReported(deferred)).toEqual({ ...deferred, reason: "z".repeat(1_000) });
});

it("a place in the line has a code of its own", () => {
  expect(pacedReply(receiver, { ms: 1_000, reason: null })).toBe(
    "451 4.4.5 wait 1 s for one.test (One): its rate is used up",
  );
  expect(pacedResult(receiver, { ms: 1_000, reason: null })).toHaveProperty("reason", "its rate is used up");
});

it("an email that waits is not told the addresses in the reply to another one", () => {
  const reason = "450 4.7.1 <ann@one.test>: too many mails from bounce+x1@mail.acme.test, try later";
  const wait = { ms: 1_000, reason };
  const told = "450 4.7.1 <(address)>: too many mails from (address) try later";
  expect(pacedResult(receiver, wait)).toHaveProperty("reason", told);
  expect(pacedReply(receiver, wait)).toBe(`451 4.7.1 wait 1 s for one.test (One): ${told}`);
});
