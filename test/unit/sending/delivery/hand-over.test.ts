import { describe, expect, it } from "vitest";
import type { RecipientResult, Reply } from "../../../../src/mail/smtp/transport.ts";
import { toHandOver } from "../../../../src/sending/delivery/hand-over/hand-over.ts";

const deferred = (phase: "connect" | "mail" | "rcpt" | "data" | "final-dot", reply: Reply | null): RecipientResult => ({
  kind: "deferred",
  phase,
  reply,
  reason: "the server replied with a temporary failure",
});
const reply = (code: number, enhanced: string | null, text: string): Reply => ({ code, enhanced, text });
const wait = (text: string) => deferred("rcpt", reply(451, "4.7.1", text));

const paused = { kind: "paced", receiver: "outlook", label: "Outlook", waitMs: 300_000, isPause: true };
const noRoom = { kind: "paced", receiver: "egress", waitMs: 30_000, isPause: false };

describe("the result of a hand-over to an egress that holds emails", () => {
  const rows: [name: string, result: RecipientResult, expected: object][] = [
    ["250 is held", { kind: "accepted", reply: reply(250, "2.0.0", "Held"), dsnRequested: false }, { kind: "held" }],
    [
      "no reply to the final dot may be held",
      { kind: "ambiguous", phase: "final-dot", reply: null, reason: "the connection broke" },
      { kind: "held" },
    ],
    [
      "a pause",
      wait("wait 300 s for outlook (Outlook): 421 4.7.0 slow down"),
      { ...paused, reason: "421 4.7.0 slow down" },
    ],
    [
      "a place in the line, whatever its words",
      deferred("rcpt", reply(451, "4.4.5", "wait 300 s for outlook (Outlook): so many before it")),
      { ...paused, isPause: false, reason: "so many before it" },
    ],
    [
      "a wait without the code of a place in the line as a pause",
      wait("wait 300 s for outlook (Outlook): its rate is used up"),
      paused,
    ],
    ["no room", deferred("mail", reply(451, "4.3.2", "The memory of the egress is full")), noRoom],
    ["a stop", deferred("data", reply(421, "4.3.2", "The egress stops")), noRoom],
  ];
  for (const [name, result, expected] of rows)
    it(`reads ${name}`, () => {
      expect(toHandOver(result)).toMatchObject(expected);
    });

  const others: [name: string, result: RecipientResult][] = [
    ["a refusal", { kind: "recipient-refused", phase: "rcpt", reply: reply(550, "5.1.2", "No such domain") }],
    ["another 451 to RCPT", wait("Try again later")],
    ["a wait without seconds", wait("wait s for outlook (Outlook): x")],
    ["a wait for a name with capitals", wait("wait 3 s for Outlook (Outlook): x")],
    ["a wait at another phase", deferred("mail", reply(451, "4.7.1", "wait 3 s for outlook (Outlook): x"))],
    ["a wait with another code", deferred("rcpt", reply(450, "4.7.1", "wait 3 s for outlook (Outlook): x"))],
    ["4.3.2 to the final dot", deferred("final-dot", reply(451, "4.3.2", "Later"))],
    ["a broken connection", deferred("connect", null)],
  ];
  for (const [name, result] of others)
    it(`leaves ${name} as it is`, () => {
      expect(toHandOver(result)).toEqual(result);
    });
});
