/**
 * Property test: random server scripts, one result per recipient. The oracle below derives the expected results from the
 * protocol and the script alone, independently of the client.
 */

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { smtpTransport } from "../../../src/mail/smtp/connect.ts";
import { parseEgressUrl } from "../../../src/mail/smtp/egress-url.ts";
import type { RecipientResult } from "../../../src/mail/smtp/transport.ts";
import { byExtent } from "../../support/extent.ts";
import { envelopeTo, latin1, messageOf } from "../../support/outgoing-mail.ts";
import { scriptedServer } from "../../support/smtp-control.ts";
import type { Step, TransactionScript } from "../../support/smtp-script.ts";

/** The server's reaction to one command. `go`: 354 to DATA regardless of the envelope. */
type Behaviour = "ok" | "later" | "never" | "421" | "drop" | "drop421" | "garbage" | "go";

interface Mail {
  mail: Behaviour;
  rcpts: Behaviour[];
  data: Behaviour;
  dot: Behaviour;
}

interface Case {
  pipelining: boolean;
  /** True: all messages are sent concurrently. False: each after the result of the one before. */
  atOnce: boolean;
  mails: Mail[];
  cuts: number[] | null;
  chunk: number;
}

const DISCONNECTING = new Set<Behaviour>(["421", "drop", "drop421", "garbage"]);
const REPLIES = { later: "4.5.0", never: "5.5.0" };

const turn = (...extra: Behaviour[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant<Behaviour>("ok") },
    { weight: 4, arbitrary: fc.constantFrom<Behaviour>("later", "never", ...extra) },
    { weight: 1, arbitrary: fc.constantFrom<Behaviour>("421", "drop", "drop421", "garbage") },
  );

const mail: fc.Arbitrary<Mail> = fc.record({
  mail: turn(),
  rcpts: fc.array(turn("later", "never"), { minLength: 1, maxLength: 4 }),
  data: turn("go"),
  dot: turn(),
});

const anyCase: fc.Arbitrary<Case> = fc.record({
  pipelining: fc.boolean(),
  atOnce: fc.boolean(),
  mails: fc.array(mail, { minLength: 1, maxLength: 5 }),
  cuts: fc.option(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 })),
  chunk: fc.integer({ min: 1, max: 60 }),
});

function step(turn: Behaviour, ok?: string): Step | undefined {
  if (turn === "ok") return ok;
  if (turn === "later") return "451 4.5.0 later";
  if (turn === "never") return "550 5.5.0 never";
  if (turn === "421") return "421 4.5.1 bye";
  if (turn === "go") return "354 go";
  if (turn === "garbage") return { raw: "!\r\n" };
  return turn === "drop" ? { drop: true } : { drop: true, reply: "421 4.5.2 bye" };
}

function scriptOf({ mail, rcpts, data, dot }: Mail): TransactionScript {
  return { mail: step(mail), rcpt: rcpts.map((turn) => step(turn) ?? null), data: step(data), dot: step(dot) };
}

type Expected =
  | "accepted"
  | "ambiguous final-dot"
  | `${"deferred" | "refused"} ${"mail" | "rcpt" | "data" | "final-dot"}`;

/** Returns the expected result of each recipient of each message. */
function oracle({ pipelining, mails }: Case): Expected[][] {
  let alive = true;
  return mails.map((mail) => {
    if (!alive) return mail.rcpts.map(() => "deferred mail");
    const { expected, ends } = oneMail(mail, pipelining);
    alive = !ends;
    return expected;
  });
}

function oneMail({ mail, rcpts, data, dot }: Mail, pipelining: boolean): { expected: Expected[]; ends: boolean } {
  const all = (expected: Expected) => rcpts.map(() => expected);
  if (DISCONNECTING.has(mail)) return { expected: all("deferred mail"), ends: true };
  const endsAt = rcpts.findIndex((turn) => DISCONNECTING.has(turn));
  const taken = mail === "ok" && rcpts.some((turn, i) => turn === "ok" && (endsAt < 0 || i < endsAt));
  // Without PIPELINING, commands that cannot succeed are not sent, and their scripted step is not reached.
  const rcptsCome = pipelining || mail === "ok";
  const dataComes = endsAt < 0 && rcptsCome && (pipelining || taken);
  const go = dataComes && (data === "go" || (data === "ok" && taken));
  const ends = (rcptsCome && endsAt >= 0) || (dataComes && DISCONNECTING.has(data)) || (go && DISCONNECTING.has(dot));
  if (mail !== "ok") return { expected: all(mail === "later" ? "deferred mail" : "refused mail"), ends };
  const expected = rcpts.map((turn, i): Expected => {
    if (endsAt >= 0 && i >= endsAt) return "deferred rcpt";
    if (turn === "later") return "deferred rcpt";
    if (turn === "never") return "refused rcpt";
    if (!go) return data === "never" && endsAt < 0 ? "refused data" : "deferred data";
    if (dot === "ok") return "accepted";
    if (dot === "never") return "refused final-dot";
    return dot === "drop" || dot === "garbage" ? "ambiguous final-dot" : "deferred final-dot";
  });
  return { expected, ends };
}

function describeResult(result: RecipientResult): string {
  if (result.kind === "accepted") return result.reply.code === 250 ? "accepted" : "accepted without 250";
  const code = result.reply?.code ?? 0;
  if (result.kind === "deferred")
    return code === 0 || (code >= 400 && code < 500) ? `deferred ${result.phase}` : `deferred on ${code}`;
  if (result.kind === "ambiguous") return `ambiguous ${result.phase}`;
  const fits =
    (result.kind === "recipient-refused") === (result.phase === "rcpt") && result.reply.enhanced === REPLIES.never;
  return `${fits ? "refused" : result.kind} ${result.phase}`;
}

const content = (i: number) => `Subject: mail ${i}\r\n\r\n.dots\r\n..\r\n.\r\nend of ${i}\r\n`;

async function check(one: Case): Promise<void> {
  const server = await scriptedServer({
    capabilities: one.pipelining ? ["PIPELINING", "8BITMIME"] : ["8BITMIME"],
    transactions: one.mails.map(scriptOf),
    segmentLengths: one.cuts ?? undefined,
  });
  const connection = await smtpTransport(parseEgressUrl(server.url)).open();
  const send = (mail: Mail, i: number) =>
    connection.send(
      envelopeTo(...mail.rcpts.map((_, r) => `r${r}.m${i}@r.test`)),
      messageOf(content(i), { chunk: one.chunk }),
    );
  const results = [];
  if (one.atOnce) results.push(...(await Promise.all(one.mails.map(send))));
  else for (const [i, mail] of one.mails.entries()) results.push(await send(mail, i));
  const expected = oracle(one);
  expect(results.map(({ recipients }) => recipients.map(describeResult))).toEqual(expected);
  expect(connection.usable).toBe(!one.mails.some((_, i) => !oracleAliveAfter(one, i)));
  await connection.close();
  await checkServer(one, server, expected);
  await server.close();
}

/** Checks that the server accepted exactly the messages reported as accepted, complete, for the right recipients. */
async function checkServer(
  one: Case,
  server: Awaited<ReturnType<typeof scriptedServer>>,
  expected: Expected[][],
): Promise<void> {
  const taken = (await server.messages()).filter(({ accepted, rcpts }) => accepted && rcpts.length > 0);
  const reported = expected.flatMap((recipients, i) => {
    const to = recipients.flatMap((outcome, r) => (outcome === "accepted" ? [`RCPT TO:<r${r}.m${i}@r.test>`] : []));
    return to.length > 0 ? [{ rcpts: to, text: content(i) }] : [];
  });
  expect(taken.map(({ rcpts, raw }) => ({ rcpts, text: latin1(raw) }))).toEqual(reported);
  expect(one.mails.length).toBeGreaterThanOrEqual(taken.length);
}

/** Returns whether the session is still open after message number `i`. */
function oracleAliveAfter({ pipelining, mails }: Case, i: number): boolean {
  return mails.slice(0, i + 1).every((mail) => !oneMail(mail, pipelining).ends);
}

it("every recipient gets the result that follows from the server's replies, for random scripts", async () => {
  const numRuns = byExtent({ quick: 150, full: 400, long: 5_000 });
  await fc.assert(fc.asyncProperty(anyCase, check), { numRuns, ...(env.TEST_LONG ? {} : { seed: 20_261_121 }) });
}, 600_000);
