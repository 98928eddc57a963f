/** Transactions against a scripted server: what each answer, silence or break does to each recipient and to the connection. */

import { describe, expect, it } from "vitest";
import { type SmtpOptions, smtpTransport } from "../../../src/mail/smtp/connect.ts";
import { parseEgressUrl } from "../../../src/mail/smtp/egress-url.ts";
import type { OutgoingMessage, RecipientResult, TransactionResult } from "../../../src/mail/smtp/transport.ts";
import { envelopeTo, latin1, messageOf, plainMail } from "../../support/outgoing-mail.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import type { Script, Step, TransactionScript } from "../../support/smtp-script.ts";
import { REPLY_CASES } from "./reply-cases.ts";

const LOCKSTEP = ["SIZE 26214400", "8BITMIME"];
const TO = envelopeTo("b@r.test", "c@r.test", "d@r.test");

/** A scripted server and a connection to it. */
async function talk(script: Script, options: SmtpOptions = {}) {
  const server = await scriptedServer(script);
  const connection = await smtpTransport(parseEgressUrl(server.url), options).open();
  return { server, connection };
}

/** Each result as one word: kind, phase and code. */
function brief({ recipients }: TransactionResult): string[] {
  return recipients.map((one: RecipientResult) => {
    const phase = one.kind === "accepted" ? "" : ` ${one.phase}`;
    return `${one.kind}${phase}${one.reply ? ` ${one.reply.code}` : ""}`;
  });
}

const three = (text: string) => [text, text, text];

describe.each([
  { way: "pipelined", capabilities: undefined },
  { way: "in lockstep", capabilities: LOCKSTEP },
])("one transaction, $way", ({ capabilities }) => {
  /** Runs one transaction of three recipients with these steps. */
  async function run(steps: TransactionScript, options: SmtpOptions = {}) {
    const { server, connection } = await talk({ capabilities, transactions: [steps] }, options);
    const result = await connection.send(TO, plainMail("one"));
    const usable = connection.usable;
    await connection.close();
    return { server, result: brief(result), usable };
  }

  it("gives every recipient its own answer: refused, deferred, accepted", async () => {
    const { server, result, usable } = await run({
      rcpt: ["550 5.1.1 unknown", "451 4.2.1 later", "251 2.1.5 forwarded"],
    });
    expect(result).toEqual(["recipient-refused rcpt 550", "deferred rcpt 451", "accepted 250"]);
    expect(usable).toBe(true);
    const [message] = await server.messages();
    expect(message?.rcpts).toEqual(["RCPT TO:<d@r.test>"]);
    expect(latin1(message?.raw)).toContain("Subject: one\r\n");
  });

  it.each(REPLY_CASES)("$name", async ({ steps, each, usable }) => {
    const got = await run(steps);
    expect(got.result).toEqual(three(each));
    expect(got.usable).toBe(usable);
  });

  it("keeps the answers that came before a 421 or a break among the RCPTs", async () => {
    const ended = { "421 4.3.2 bye": "deferred rcpt 421", break: "deferred rcpt" };
    for (const [how, expected] of Object.entries(ended)) {
      const step: Step = how === "break" ? { drop: true } : how;
      const { server, result, usable } = await run({ rcpt: ["550 5.1.1 unknown", step] });
      expect(result).toEqual(["recipient-refused rcpt 550", expected, expected]);
      expect(usable).toBe(false);
      expect(await server.messages()).toEqual([]);
    }
  });

  it("defers a recipient that was already taken when the break comes before DATA is answered", async () => {
    const { result } = await run({ rcpt: [null, null, { drop: true, reply: "421 4.3.2 bye" }] });
    expect(result).toEqual(["deferred data 421", "deferred data 421", "deferred rcpt 421"]);
  });

  it("gives each silence its deadline: deferred before the dot, ambiguous after it", async () => {
    const quick = { replyMs: 200, finalDotMs: 200 };
    expect((await run({ mail: { silent: true } }, quick)).result).toEqual(three("deferred mail"));
    expect((await run({ rcpt: ["550 no", { silent: true }] }, quick)).result).toEqual([
      "recipient-refused rcpt 550",
      "deferred rcpt",
      "deferred rcpt",
    ]);
    expect((await run({ data: { silent: true } }, quick)).result).toEqual(three("deferred data"));
    const late = await run({ dot: { silent: true } }, quick);
    expect(late.result).toEqual(three("ambiguous final-dot"));
    expect(late.usable).toBe(false);
  });

  it("gives the final dot its own, longer deadline", async () => {
    const { server, connection } = await talk(
      { capabilities, latencyMs: 60 },
      { replyMs: 5_000, finalDotMs: 20, quitMs: 10 },
    );
    expect(brief(await connection.send(TO, plainMail("slow")))).toEqual(three("ambiguous final-dot"));
    expect((await server.messages()).length).toBe(1);
  });

  it("starts the next transaction clean after one that stopped half way", async () => {
    for (const steps of [
      { data: "451 4.3.0 no" },
      { rcpt: ["550 x", "550 x", "550 x"] },
      { mail: "550 x" },
      { dot: "550 x" },
    ]) {
      const { server, connection } = await talk({ capabilities, transactions: [steps] });
      await connection.send(TO, plainMail("one"));
      expect(brief(await connection.send(TO, plainMail("two")))).toEqual(three("accepted 250"));
      await connection.close();
      const resets = (await server.commands()).filter((line) => line === "RSET").length;
      expect(resets).toBe("data" in steps || "rcpt" in steps ? 1 : 0);
      const taken = (await server.messages()).filter(({ accepted }) => accepted);
      expect(taken.map(({ rcpts, raw }) => [rcpts.length, latin1(raw).includes("Subject: two")])).toEqual([[3, true]]);
    }
  });

  it("does not send over a connection whose RSET was refused", async () => {
    const { server, connection } = await talk({
      capabilities,
      rset: "500 5.5.1 what?",
      transactions: [{ data: "451 no" }],
    });
    await connection.send(TO, plainMail("one"));
    expect(brief(await connection.send(TO, plainMail("two")))).toEqual(three("deferred mail 500"));
    expect(connection.usable).toBe(false);
    expect(await server.messages()).toEqual([]);
  });
});

describe("pipelining", () => {
  it("takes a server without PIPELINING at its word: no command before the reply to the last", async () => {
    const { server, connection } = await talk({ capabilities: LOCKSTEP, latencyMs: 3 });
    await Promise.all([connection.send(TO, plainMail("one")), connection.send(TO, plainMail("two"))]);
    await connection.close();
    expect((await server.transcript()).filter(({ pipelined }) => pipelined)).toEqual([]);
    expect((await server.messages()).length).toBe(2);
  });

  it("sends a 10 KB mail in two writes", async () => {
    const { server, connection } = await talk({ countOnly: true });
    const before = (await server.counters()).reads;
    await connection.send(TO, plainMail("one", 10_240));
    expect((await server.counters()).reads - before).toBe(2);
    await connection.close();
  });

  it("writes the next MAIL..DATA before the last final dot is answered, one message after the other", async () => {
    const { server, connection } = await talk({ latencyMs: 20 });
    const sent = await Promise.all(["one", "two", "three"].map((subject) => connection.send(TO, plainMail(subject))));
    await connection.close();
    expect(sent.flatMap(brief)).toEqual(Array(9).fill("accepted 250"));
    const transcript = await server.transcript();
    expect(transcript.filter(({ text }) => text.startsWith("MAIL")).map(({ pipelined }) => pipelined)).toEqual([
      false,
      true,
      true,
    ]);
    expect((await server.messages()).map(({ raw }) => /Subject: (\w+)/.exec(latin1(raw))?.[1])).toEqual([
      "one",
      "two",
      "three",
    ]);
  });

  it("keeps outcomes apart when the connection breaks with one dot unanswered and more mail behind it", async () => {
    const { server, connection } = await talk({ transactions: [{}, { dot: { drop: true } }] });
    const sent = await Promise.all(
      ["one", "two", "three", "four"].map((subject) => connection.send(TO, plainMail(subject))),
    );
    expect(sent.map((one) => brief(one)[0])).toEqual([
      "accepted 250",
      "ambiguous final-dot",
      "deferred mail",
      "deferred mail",
    ]);
    expect((await server.messages()).length).toBe(2);
  });

  it("keeps outcomes apart when 421 answers a dot with more mail behind it", async () => {
    const { connection } = await talk({ transactions: [{ dot: "421 4.3.2 bye" }] });
    const sent = await Promise.all(["one", "two"].map((subject) => connection.send(TO, plainMail(subject))));
    expect(sent.map((one) => brief(one)[0])).toEqual(["deferred final-dot 421", "deferred mail 421"]);
  });
});

describe("354 without anybody to send to", () => {
  it("is answered by a lone dot, and the connection goes on", async () => {
    const { server, connection } = await talk({
      transactions: [{ rcpt: ["550 a", "550 b", "450 c"], data: "354 go", dot: "554 5.5.1 nobody" }],
    });
    expect(brief(await connection.send(TO, plainMail("one")))).toEqual([
      "recipient-refused rcpt 550",
      "recipient-refused rcpt 550",
      "deferred rcpt 450",
    ]);
    expect(brief(await connection.send(TO, plainMail("two")))).toEqual(three("accepted 250"));
    await connection.close();
    expect((await server.messages()).map(({ raw, rcpts }) => [raw.length > 0, rcpts.length])).toEqual([
      [false, 0],
      [true, 3],
    ]);
  });

  it("is not answered when MAIL was refused but a RCPT was taken: an empty mail would go to it", async () => {
    const { server, connection } = await talk({
      transactions: [{ mail: "550 no", rcpt: ["250 ok", "250 ok", "250 ok"], data: "354 go" }],
    });
    expect(brief(await connection.send(TO, plainMail("one")))).toEqual(three("message-refused mail 550"));
    expect(connection.usable).toBe(false);
    expect(await server.messages()).toEqual([]);
  });
});

describe("a message that breaks the rules", () => {
  const broken: [string, OutgoingMessage, string][] = [
    ["a bare LF", messageOf("a\r\n.\nMAIL FROM:<x@y.test>\r\n"), "message-refused data 554"],
    ["a bare CR cut by a chunk", messageOf("a\rb\r\n", { chunk: 2 }), "message-refused data 554"],
    ["no CRLF at its end", messageOf("a\r\nb"), "message-refused data 554"],
    ["fewer octets than announced", messageOf("a\r\n", { size: 4 }), "message-refused data 554"],
    ["more octets than announced", messageOf("a\r\nb\r\n", { size: 3 }), "message-refused data 554"],
    [
      "a fault far behind what is already written",
      messageOf(`${"x\r\n".repeat(400_000)}\n\r\n`, { chunk: 100_000 }),
      "message-refused data 554",
    ],
  ];
  it.each(broken)("never gets its final dot: %s", async (_name, message, expected) => {
    const { server, connection } = await talk({});
    const [sent, next] = await Promise.all([connection.send(TO, message), connection.send(TO, plainMail("two"))]);
    expect(brief(sent)).toEqual(three(expected));
    expect(brief(next)).toEqual(three("deferred mail"));
    expect(connection.usable).toBe(false);
    expect(await server.messages()).toEqual([]);
  });

  it("or cannot be read is deferred, and never gets its final dot", async () => {
    const message: OutgoingMessage = {
      ...messageOf("a\r\n"),
      async *chunks() {
        yield new Uint8Array([0x61, 0x0d, 0x0a]);
        throw new Error("R2 is away");
      },
    };
    const { server, connection } = await talk({});
    expect(brief(await connection.send(TO, message))).toEqual(three("deferred data"));
    expect(await server.messages()).toEqual([]);
  });

  it("or never ends is deferred at the deadline", async () => {
    const message = {
      ...messageOf("a\r\n"),
      chunks: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
    };
    const { server, connection } = await talk({}, { replyMs: 200 });
    expect(brief(await connection.send(TO, message))).toEqual(three("deferred data"));
    expect(await server.messages()).toEqual([]);
  });
});

describe("a large message", () => {
  it("arrives octet for octet, dots and all, whatever its chunks", async () => {
    const server = await sinkServer();
    const connection = await smtpTransport(parseEgressUrl(server.url)).open();
    const content = Array.from({ length: 60_000 }, (_, i) => `${".".repeat(i % 4)}line ${i}\r\n`).join("");
    for (const chunk of [content.length, 65_536, 1_013]) {
      expect(brief(await connection.send(TO, messageOf(content, { chunk })))).toEqual(three("accepted 250"));
    }
    await connection.close();
    for (const { raw } of await server.messages()) expect(latin1(raw) === content).toBe(true);
  });

  it("is given up when the server ends the conversation half way: deferred, with its words", async () => {
    const { server, connection } = await talk({
      transactions: [{ during: { octets: 100_000, step: { drop: true, reply: "421 4.3.1 full" } } }],
    });
    const whole = messageOf("0123456789abcd\r\n".repeat(50_000), { chunk: 400_000 });
    const message: OutgoingMessage = {
      ...whole,
      async *chunks() {
        for await (const chunk of whole.chunks()) {
          yield chunk;
          while (connection.usable) await new Promise((resolve) => setTimeout(resolve, 1));
        }
      },
    };
    expect(brief(await connection.send(TO, message))).toEqual(three("deferred data 421"));
    expect(connection.usable).toBe(false);
    expect(await server.messages()).toEqual([]);
  });

  it("is given up when the server stops reading: deferred at the deadline", async () => {
    const { connection } = await talk(
      { transactions: [{ during: { octets: 1_000, step: { silent: true } } }] },
      { replyMs: 300, finalDotMs: 300 },
    );
    const result = await connection.send(TO, messageOf("0123456789abcd\r\n".repeat(500_000)));
    expect(brief(result)[0]).toMatch(/^(deferred data|ambiguous final-dot)$/);
  });
});

describe("a connection that lies idle", () => {
  it("is not usable once the server has said 421 and closed, and nothing of the next mail counts as sent", async () => {
    const { server, connection } = await talk({
      transactions: [{ dot: { raw: "250 2.0.0 ok\r\n421 4.4.2 idle\r\n" } }],
    });
    expect(brief(await connection.send(TO, plainMail("one")))).toEqual(three("accepted 250"));
    expect(brief(await connection.send(TO, plainMail("two")))[0]).toMatch(/^deferred mail/);
    expect(connection.usable).toBe(false);
    expect((await server.messages()).length).toBe(1);
  });

  it("whose server is gone defers the next mail at MAIL", async () => {
    const { server, connection } = await talk({});
    await connection.send(TO, plainMail("one"));
    await server.close();
    expect(brief(await connection.send(TO, plainMail("two")))).toEqual(three("deferred mail"));
    expect(connection.usable).toBe(false);
  });

  it("ends when a reply comes that nobody asked for: the next answers would go to the wrong command", async () => {
    const { server, connection } = await talk({
      transactions: [{ dot: { raw: "250 2.0.0 ok\r\n250 2.0.0 once more\r\n" } }],
    });
    expect(brief(await connection.send(TO, plainMail("one")))).toEqual(three("accepted 250"));
    expect(brief(await connection.send(TO, plainMail("two")))[0]).toMatch(/^deferred/);
    expect((await server.messages()).length).toBe(1);
  });
});

describe("closing", () => {
  it("says QUIT behind what is still unanswered, and refuses what comes later", async () => {
    const { server, connection } = await talk({ latencyMs: 10 });
    const sending = connection.send(TO, plainMail("one"));
    const closing = connection.close();
    expect(connection.usable).toBe(false);
    expect(brief(await connection.send(TO, plainMail("two")))).toEqual(three("deferred mail"));
    expect(brief(await sending)).toEqual(three("accepted 250"));
    await Promise.all([closing, connection.close()]);
    expect((await server.commands()).at(-1)).toBe("QUIT");
  });

  it("does not wait for a server that never answers QUIT, and never throws", async () => {
    const { server, connection } = await talk({ quit: { silent: true } }, { quitMs: 50 });
    await connection.close();
    expect((await server.commands()).at(-1)).toBe("QUIT");
    const other = await talk({});
    await other.server.close();
    await other.connection.close();
  });
});

describe("what the server's limits forbid", () => {
  it("is refused before a single octet is written", async () => {
    const { server, connection } = await talk({ capabilities: ["SIZE 100", "PIPELINING"] });
    expect(brief(await connection.send(TO, plainMail("one", 5_000)))).toEqual(three("message-refused mail 552"));
    expect(brief(await connection.send(envelopeTo("jörg@r.test"), messageOf("x\r\n")))).toEqual([
      "recipient-refused rcpt 553",
    ]);
    expect(brief(await connection.send(envelopeTo("x@r.test>\r\nRSET"), messageOf("x\r\n")))).toEqual([
      "recipient-refused rcpt 553",
    ]);
    expect(brief(await connection.send(envelopeTo(), messageOf("x\r\n")))).toEqual([]);
    expect(connection.usable).toBe(true);
    await connection.close();
    expect(await server.commands()).toEqual(["EHLO [127.0.0.1]", "QUIT"]);
  });
});

describe("success notifications", () => {
  const envelope = {
    mailFrom: "a@s.test",
    recipients: [{ address: "b@r.test", notify: ["SUCCESS"] as const }, { address: "c@r.test" }],
  };
  it("count as requested only where the server offers DSN and we asked", async () => {
    for (const offered of [true, false]) {
      const { connection } = await talk({ capabilities: offered ? ["PIPELINING", "DSN"] : ["PIPELINING"] });
      const { recipients } = await connection.send(envelope, plainMail("one"));
      await connection.close();
      expect(recipients.map((one) => one.kind === "accepted" && one.dsnRequested)).toEqual([offered, false]);
    }
  });
});
