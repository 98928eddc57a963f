/** Transactions against a scripted server: the effect of each reply, timeout or disconnect on recipients and connection. */

import { describe, expect, it } from "vitest";
import { type SmtpOptions, smtpTransport } from "../../../src/mail/smtp/connect.ts";
import { parseEgressUrl } from "../../../src/mail/smtp/egress-url.ts";
import type { OutgoingMessage, RecipientResult, TransactionResult } from "../../../src/mail/smtp/transport.ts";
import { envelopeTo, latin1, messageOf, plainMail } from "../../support/outgoing-mail.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import type { Script, Step, TransactionScript } from "../../support/smtp-script.ts";
import { REPLY_CASES } from "./reply-cases.ts";

const NO_PIPELINING = ["SIZE 26214400", "8BITMIME"];
const TO = envelopeTo("b@r.test", "c@r.test", "d@r.test");

/** Starts a scripted server and opens a connection to it. */
async function connectTo(script: Script, options: SmtpOptions = {}) {
  const server = await scriptedServer(script);
  const connection = await smtpTransport(parseEgressUrl(server.url), options).open();
  return { server, connection };
}

/** Formats each result as kind, phase and code. */
function summarize({ recipients }: TransactionResult): string[] {
  return recipients.map((one: RecipientResult) => {
    const phase = one.kind === "accepted" ? "" : ` ${one.phase}`;
    return `${one.kind}${phase}${one.reply ? ` ${one.reply.code}` : ""}`;
  });
}

const threeTimes = (text: string) => [text, text, text];

describe.each([
  { way: "pipelined", capabilities: undefined },
  { way: "without PIPELINING", capabilities: NO_PIPELINING },
])("one transaction, $way", ({ capabilities }) => {
  /** Runs one transaction of three recipients with these steps. */
  async function run(steps: TransactionScript, options: SmtpOptions = {}) {
    const { server, connection } = await connectTo({ capabilities, transactions: [steps] }, options);
    const result = await connection.send(TO, plainMail("one"));
    const usable = connection.usable;
    await connection.close();
    return { server, result: summarize(result), usable };
  }

  it("gives every recipient its own result: refused, deferred, accepted", async () => {
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
    expect(got.result).toEqual(threeTimes(each));
    expect(got.usable).toBe(usable);
  });

  it("keeps the RCPT replies before a 421 or a disconnect", async () => {
    const ended = { "421 4.3.2 bye": "deferred rcpt 421", break: "deferred rcpt" };
    for (const [how, expected] of Object.entries(ended)) {
      const step: Step = how === "break" ? { drop: true } : how;
      const { server, result, usable } = await run({ rcpt: ["550 5.1.1 unknown", step] });
      expect(result).toEqual(["recipient-refused rcpt 550", expected, expected]);
      expect(usable).toBe(false);
      expect(await server.messages()).toEqual([]);
    }
  });

  it("defers an accepted recipient when the disconnect comes before the reply to DATA", async () => {
    const { result } = await run({ rcpt: [null, null, { drop: true, reply: "421 4.3.2 bye" }] });
    expect(result).toEqual(["deferred data 421", "deferred data 421", "deferred rcpt 421"]);
  });

  it("times out on each missing reply: deferred before the final dot, ambiguous after it", async () => {
    const quick = { replyMs: 200, finalDotMs: 200 };
    expect((await run({ mail: { silent: true } }, quick)).result).toEqual(threeTimes("deferred mail"));
    expect((await run({ rcpt: ["550 no", { silent: true }] }, quick)).result).toEqual([
      "recipient-refused rcpt 550",
      "deferred rcpt",
      "deferred rcpt",
    ]);
    expect((await run({ data: { silent: true } }, quick)).result).toEqual(threeTimes("deferred data"));
    const late = await run({ dot: { silent: true } }, quick);
    expect(late.result).toEqual(threeTimes("ambiguous final-dot"));
    expect(late.usable).toBe(false);
  });

  it("uses a separate timeout for the final dot", async () => {
    const { server, connection } = await connectTo(
      { capabilities, latencyMs: 60 },
      { replyMs: 5_000, finalDotMs: 20, quitMs: 10 },
    );
    expect(summarize(await connection.send(TO, plainMail("slow")))).toEqual(threeTimes("ambiguous final-dot"));
    expect((await server.messages()).length).toBe(1);
  });

  it("sends RSET after an incomplete transaction, and the next one succeeds", async () => {
    for (const steps of [
      { data: "451 4.3.0 no" },
      { rcpt: ["550 x", "550 x", "550 x"] },
      { mail: "550 x" },
      { dot: "550 x" },
    ]) {
      const { server, connection } = await connectTo({ capabilities, transactions: [steps] });
      await connection.send(TO, plainMail("one"));
      expect(summarize(await connection.send(TO, plainMail("two")))).toEqual(threeTimes("accepted 250"));
      await connection.close();
      const resets = (await server.commands()).filter((line) => line === "RSET").length;
      expect(resets).toBe("data" in steps || "rcpt" in steps ? 1 : 0);
      const taken = (await server.messages()).filter(({ accepted }) => accepted);
      expect(taken.map(({ rcpts, raw }) => [rcpts.length, latin1(raw).includes("Subject: two")])).toEqual([[3, true]]);
    }
  });

  it("does not send over a connection whose RSET was refused", async () => {
    const { server, connection } = await connectTo({
      capabilities,
      rset: "500 5.5.1 what?",
      transactions: [{ data: "451 no" }],
    });
    await connection.send(TO, plainMail("one"));
    expect(summarize(await connection.send(TO, plainMail("two")))).toEqual(threeTimes("deferred mail 500"));
    expect(connection.usable).toBe(false);
    expect(await server.messages()).toEqual([]);
  });
});

describe("pipelining", () => {
  it("without PIPELINING writes no command before the previous reply", async () => {
    const { server, connection } = await connectTo({ capabilities: NO_PIPELINING, latencyMs: 3 });
    await Promise.all([connection.send(TO, plainMail("one")), connection.send(TO, plainMail("two"))]);
    await connection.close();
    expect((await server.transcript()).filter(({ pipelined }) => pipelined)).toEqual([]);
    expect((await server.messages()).length).toBe(2);
  });

  it("sends a 10 KB message in two writes", async () => {
    const { server, connection } = await connectTo({ countOnly: true });
    const before = (await server.counters()).chunks;
    await connection.send(TO, plainMail("one", 10_240));
    expect((await server.counters()).chunks - before).toBe(2);
    await connection.close();
  });

  it("writes the next MAIL..DATA before the reply to the previous final dot, in order", async () => {
    const { server, connection } = await connectTo({ latencyMs: 20 });
    const sent = await Promise.all(["one", "two", "three"].map((subject) => connection.send(TO, plainMail(subject))));
    await connection.close();
    expect(sent.flatMap(summarize)).toEqual(Array(9).fill("accepted 250"));
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

  it("keeps results separate when the connection breaks after a final dot with more messages behind it", async () => {
    const { server, connection } = await connectTo({ transactions: [{}, { dot: { drop: true } }] });
    const sent = await Promise.all(
      ["one", "two", "three", "four"].map((subject) => connection.send(TO, plainMail(subject))),
    );
    expect(sent.map((one) => summarize(one)[0])).toEqual([
      "accepted 250",
      "ambiguous final-dot",
      "deferred mail",
      "deferred mail",
    ]);
    expect((await server.messages()).length).toBe(2);
  });

  it("keeps results separate when 421 follows a final dot with more messages behind it", async () => {
    const { connection } = await connectTo({ transactions: [{ dot: "421 4.3.2 bye" }] });
    const sent = await Promise.all(["one", "two"].map((subject) => connection.send(TO, plainMail(subject))));
    expect(sent.map((one) => summarize(one)[0])).toEqual(["deferred final-dot 421", "deferred mail 421"]);
  });
});

describe("354 without an accepted recipient", () => {
  it("is followed by an empty message, and the connection stays usable", async () => {
    const { server, connection } = await connectTo({
      transactions: [{ rcpt: ["550 a", "550 b", "450 c"], data: "354 go", dot: "554 5.5.1 nobody" }],
    });
    expect(summarize(await connection.send(TO, plainMail("one")))).toEqual([
      "recipient-refused rcpt 550",
      "recipient-refused rcpt 550",
      "deferred rcpt 450",
    ]);
    expect(summarize(await connection.send(TO, plainMail("two")))).toEqual(threeTimes("accepted 250"));
    await connection.close();
    expect((await server.messages()).map(({ raw, rcpts }) => [raw.length > 0, rcpts.length])).toEqual([
      [false, 0],
      [true, 3],
    ]);
  });

  it("closes the connection when MAIL was refused but a RCPT accepted, which would get an empty message", async () => {
    const { server, connection } = await connectTo({
      transactions: [{ mail: "550 no", rcpt: ["250 ok", "250 ok", "250 ok"], data: "354 go" }],
    });
    expect(summarize(await connection.send(TO, plainMail("one")))).toEqual(threeTimes("message-refused mail 550"));
    expect(connection.usable).toBe(false);
    expect(await server.messages()).toEqual([]);
  });
});

describe("a malformed message", () => {
  const broken: [string, OutgoingMessage, string][] = [
    ["a bare LF", messageOf("a\r\n.\nMAIL FROM:<x@y.test>\r\n"), "message-refused data 554"],
    ["a bare CR cut by a chunk", messageOf("a\rb\r\n", { chunk: 2 }), "message-refused data 554"],
    ["no CRLF at its end", messageOf("a\r\nb"), "message-refused data 554"],
    ["fewer bytes than announced", messageOf("a\r\n", { size: 4 }), "message-refused data 554"],
    ["more bytes than announced", messageOf("a\r\nb\r\n", { size: 3 }), "message-refused data 554"],
    [
      "an issue after several written slices",
      messageOf(`${"x\r\n".repeat(400_000)}\n\r\n`, { chunk: 100_000 }),
      "message-refused data 554",
    ],
  ];
  it.each(broken)("is refused before its final dot: %s", async (_name, message, expected) => {
    const { server, connection } = await connectTo({});
    const [sent, next] = await Promise.all([connection.send(TO, message), connection.send(TO, plainMail("two"))]);
    expect(summarize(sent)).toEqual(threeTimes(expected));
    expect(summarize(next)).toEqual(threeTimes("deferred mail"));
    expect(connection.usable).toBe(false);
    expect(await server.messages()).toEqual([]);
  });

  it("that cannot be read is deferred before its final dot", async () => {
    const message: OutgoingMessage = {
      ...messageOf("a\r\n"),
      async *chunks() {
        yield new Uint8Array([0x61, 0x0d, 0x0a]);
        throw new Error("R2 is unavailable");
      },
    };
    const { server, connection } = await connectTo({});
    expect(summarize(await connection.send(TO, message))).toEqual(threeTimes("deferred data"));
    expect(await server.messages()).toEqual([]);
  });

  it("that never ends is deferred at the timeout", async () => {
    const message = {
      ...messageOf("a\r\n"),
      chunks: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
    };
    const { server, connection } = await connectTo({}, { replyMs: 200 });
    expect(summarize(await connection.send(TO, message))).toEqual(threeTimes("deferred data"));
    expect(await server.messages()).toEqual([]);
  });
});

describe("a large message", () => {
  it("arrives with the exact bytes for any chunk size", async () => {
    const server = await sinkServer();
    const connection = await smtpTransport(parseEgressUrl(server.url)).open();
    const content = Array.from({ length: 60_000 }, (_, i) => `${".".repeat(i % 4)}line ${i}\r\n`).join("");
    for (const chunk of [content.length, 65_536, 1_013]) {
      expect(summarize(await connection.send(TO, messageOf(content, { chunk })))).toEqual(threeTimes("accepted 250"));
    }
    await connection.close();
    for (const { raw } of await server.messages()) expect(latin1(raw) === content).toBe(true);
  });

  it("is deferred with the server's reply when the server closes the session during the message", async () => {
    const { server, connection } = await connectTo({
      transactions: [{ during: { bytes: 100_000, step: { drop: true, reply: "421 4.3.1 full" } } }],
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
    expect(summarize(await connection.send(TO, message))).toEqual(threeTimes("deferred data 421"));
    expect(connection.usable).toBe(false);
    expect(await server.messages()).toEqual([]);
  });

  it("is deferred at the timeout when the server stops reading", async () => {
    const { connection } = await connectTo(
      { transactions: [{ during: { bytes: 1_000, step: { silent: true } } }] },
      { replyMs: 300, finalDotMs: 300 },
    );
    const result = await connection.send(TO, messageOf("0123456789abcd\r\n".repeat(500_000)));
    expect(summarize(result)[0]).toMatch(/^(deferred data|ambiguous final-dot)$/);
  });
});

describe("an idle connection", () => {
  it("is not usable after an unsolicited 421, and the next message is deferred", async () => {
    const { server, connection } = await connectTo({
      transactions: [{ dot: { raw: "250 2.0.0 ok\r\n421 4.4.2 idle\r\n" } }],
    });
    expect(summarize(await connection.send(TO, plainMail("one")))).toEqual(threeTimes("accepted 250"));
    expect(summarize(await connection.send(TO, plainMail("two")))[0]).toMatch(/^deferred mail/);
    expect(connection.usable).toBe(false);
    expect((await server.messages()).length).toBe(1);
  });

  it("defers the next message at MAIL when the server has closed", async () => {
    const { server, connection } = await connectTo({});
    await connection.send(TO, plainMail("one"));
    await server.close();
    expect(summarize(await connection.send(TO, plainMail("two")))).toEqual(threeTimes("deferred mail"));
    expect(connection.usable).toBe(false);
  });

  it("closes on an unsolicited reply, which would shift all later replies", async () => {
    const { server, connection } = await connectTo({
      transactions: [{ dot: { raw: "250 2.0.0 ok\r\n250 2.0.0 once more\r\n" } }],
    });
    expect(summarize(await connection.send(TO, plainMail("one")))).toEqual(threeTimes("accepted 250"));
    expect(summarize(await connection.send(TO, plainMail("two")))[0]).toMatch(/^deferred/);
    expect((await server.messages()).length).toBe(1);
  });
});

describe("closing", () => {
  it("sends QUIT after the commands that have no reply yet, and refuses later messages", async () => {
    const { server, connection } = await connectTo({ latencyMs: 10 });
    const sending = connection.send(TO, plainMail("one"));
    const closing = connection.close();
    expect(connection.usable).toBe(false);
    expect(summarize(await connection.send(TO, plainMail("two")))).toEqual(threeTimes("deferred mail"));
    expect(summarize(await sending)).toEqual(threeTimes("accepted 250"));
    await Promise.all([closing, connection.close()]);
    expect((await server.commands()).at(-1)).toBe("QUIT");
  });

  it("does not wait for a server that never replies to QUIT, and never throws", async () => {
    const { server, connection } = await connectTo({ quit: { silent: true } }, { quitMs: 50 });
    await connection.close();
    expect((await server.commands()).at(-1)).toBe("QUIT");
    const other = await connectTo({});
    await other.server.close();
    await other.connection.close();
  });
});

describe("a message beyond the server's limits", () => {
  it("is refused without writing anything", async () => {
    const { server, connection } = await connectTo({ capabilities: ["SIZE 100", "PIPELINING"] });
    expect(summarize(await connection.send(TO, plainMail("one", 5_000)))).toEqual(
      threeTimes("message-refused mail 552"),
    );
    expect(summarize(await connection.send(envelopeTo("jörg@r.test"), messageOf("x\r\n")))).toEqual([
      "recipient-refused rcpt 553",
    ]);
    expect(summarize(await connection.send(envelopeTo("x@r.test>\r\nRSET"), messageOf("x\r\n")))).toEqual([
      "recipient-refused rcpt 553",
    ]);
    expect(summarize(await connection.send(envelopeTo(), messageOf("x\r\n")))).toEqual([]);
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
  it("count as requested only when the server offers DSN and the envelope asks", async () => {
    for (const offered of [true, false]) {
      const { connection } = await connectTo({ capabilities: offered ? ["PIPELINING", "DSN"] : ["PIPELINING"] });
      const { recipients } = await connection.send(envelope, plainMail("one"));
      await connection.close();
      expect(recipients.map((one) => one.kind === "accepted" && one.dsnRequested)).toEqual([offered, false]);
    }
  });
});
