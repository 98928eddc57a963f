/**
 * Random certificates, SMTP replies and DNS responses against the code of the egress. An error outside of a promise, which would end the
 * program, fails the run. `npm run test:long` runs the full counts; FUZZ_SEED=… repeats a run.
 */
import { X509Certificate } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { decode, encode } from "dns-packet";
import { generate } from "selfsigned";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../mail-gateway/clock.ts";
import { applyReplies } from "../../smtp-egress/apply-replies.ts";
import { connectTo } from "../../smtp-egress/connect.ts";
import { chainIssue, peerChain } from "../../smtp-egress/dane/match-chain.ts";
import { SecureDns } from "../../smtp-egress/dane/secure-dns.ts";
import { TlsaLookups } from "../../smtp-egress/dane/tlsa-lookups.ts";
import { NodeSocket } from "../../smtp-egress/node-socket.ts";
import { ReceiverPace } from "../../smtp-egress/receiver-pace.ts";
import { readReceivers } from "../../smtp-egress/receivers/read-receivers.ts";
import { Routes } from "../../smtp-egress/resolve.ts";
import { toReported, toResult } from "../../smtp-egress/results.ts";
import { withTimeout } from "../../src/lib/deadline.ts";
import { ConnectError } from "../../src/mail/smtp/client.ts";
import { seeded } from "../support/failures.ts";
import { tlsaOf } from "./support/egress/chains.ts";
import { byExtent } from "./support/extent.ts";

const cases = byExtent({ quick: 300, full: 1_000, long: 10_000 });
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));
const timeout = byExtent({ quick: 120_000, full: 600_000, long: 3_600_000 });
/** A case that has not ended after this time hangs, in ms. */
const HANGS_MS = 15_000;
const AT_ONCE = 20;

type Random = () => number;
const below = (random: Random, end: number) => Math.floor(random() * end);
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)] as Item;

/** Returns bytes with some of them changed, removed or added, from `start` on. */
function mutated(bytes: Buffer, random: Random, start = 0): Buffer {
  let result = Buffer.from(bytes);
  for (let count = 1 + below(random, 3); count > 0; count--) {
    const at = start + below(random, result.length - start);
    const kind = below(random, 6);
    const some = Buffer.from(Array.from({ length: 1 + below(random, 4) }, () => below(random, 256)));
    if (kind < 4) result[at] = kind === 0 ? pick(random, [0, 0x7f, 0x80, 0x84, 0xff]) : below(random, 256);
    else if (kind === 4) result = Buffer.concat([result.subarray(0, at), some, result.subarray(at)]);
    else result = Buffer.concat([result.subarray(0, at), result.subarray(at + some.length)]);
    if (result.length <= start) return result;
  }
  return result;
}

/** Runs all cases, some at once, each with numbers of its own, and returns how many had each result. */
async function runCases(one: (random: Random, index: number) => Promise<string>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < cases; index = next++) {
      const hangs = () => new Error(`case ${index} of seed ${seed} hangs`);
      const result = await withTimeout(HANGS_MS, one(seeded(seed + index), index), hangs);
      counts[result] = (counts[result] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return counts;
}

async function listening(server: net.Server): Promise<number> {
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

describe(`${cases} random cases end nothing and hang nowhere (seed ${seed}):`, () => {
  it("certificates, also of a server that is trusted", { timeout }, async () => {
    const altNames = ["mx.one.test", "*.two.test"].map((value) => ({ type: 2 as const, value }));
    const made = await generate([{ name: "commonName", value: "mx.one.test" }], {
      algorithm: "sha256",
      extensions: [
        { name: "extKeyUsage", serverAuth: true },
        { name: "subjectAltName", altNames },
      ],
    });
    const { raw } = new X509Certificate(made.cert);
    const records = [0, 1].flatMap((selector) =>
      [0, 1, 2].map((type) => tlsaOf(new X509Certificate(made.cert), selector + 2, selector, type)),
    );
    const rule = { records, names: ["mx.one.test"] };
    const counts = await runCases(async (random) => {
      const { cert, secureContext } = aServerContext(raw, made.private, random);
      const server = net.createServer((socket) => {
        socket.on("error", () => {});
        new tls.TLSSocket(socket, { isServer: true, secureContext }).on("error", () => {});
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const isDane = random() < 0.5;
      const plain = new NodeSocket(net.connect((server.address() as AddressInfo).port, "127.0.0.1"), {
        servername: "mx.one.test",
        rejectUnauthorized: !isDane,
        ca: cert,
        ...(isDane ? { peerIssue: (socket) => chainIssue(peerChain(socket), rule, Date.now()) } : {}),
      });
      await plain.opened;
      plain.readable.getReader().releaseLock();
      const secure = plain.startTls();
      const result = await secure.opened.then(
        () => "opened",
        () => "refused",
      );
      await secure.close();
      server.close();
      return result;
    });
    for (const kind of ["opened", "refused"]) expect(counts, kind).toHaveProperty([kind]);
  });

  it("SMTP replies", { timeout }, async () => {
    let connections = 0;
    const server = net.createServer((socket) => {
      const random = seeded(seed + connections++);
      socket.on("error", () => {});
      const reply = (fitting: string) => {
        if (socket.writable) socket.write(random() < 0.85 ? `${fitting}\r\n` : aReply(random));
      };
      reply("220 mx.one.test");
      socket.on("data", (bytes) => {
        for (const [, line = ""] of bytes.toString("latin1").matchAll(/(.*)\r\n/g))
          if (line === "DATA") reply("354 go on");
          else if (/^(?:[A-Z]{4}|\.$)/.test(line)) reply("250 2.0.0 ok");
        if (random() < 0.02) socket.destroy();
      });
    });
    const port = await listening(server);
    const limits = { connectMs: 2_000, greetingMs: 300, replyMs: 300, transactionMs: 1_000, finalDotMs: 300 };
    const settings = { name: "out.test", port, sourceAddress: null, ca: null, limits, clock: systemClock };
    const receiver = readReceivers("{}").receiverOf(["mx.google.com"]);
    const pace = new ReceiverPace(receiver, null, () => {}, Date.now());
    const content = Buffer.from("Subject: x\r\n\r\n.\r\n");
    const counts = await runCases(async (random) => {
      const rule = { kind: pick(random, ["opportunistic", "opportunistic", "certificate"] as const) };
      const opened = await connectTo({ host: "mx.one.test", address: "127.0.0.1", rule }, settings).catch(
        (error: unknown) => {
          if (error instanceof ConnectError) return null;
          throw error;
        },
      );
      if (opened === null) return "not opened";
      const recipients = Array.from({ length: 1 + below(random, 4) }, (_, n) => ({ address: `r${n}@one.test` }));
      const message = { size: content.length, needsSmtpUtf8: false, needs8BitMime: false, inMemory: [content] };
      const sent = await opened.send(
        { mailFrom: "a@two.test", recipients },
        { ...message, chunks: async function* () {} },
      );
      const relay = { relay: "mx.one.test", receiver: receiver.name };
      const results = applyReplies(
        pace,
        sent.recipients.map((result) => toResult(result, relay)),
        { now: Date.now(), bytes: content.length },
      ).map(toReported);
      expect(results).toHaveLength(recipients.length);
      pace.takePlace(Date.now(), { holdMs: 0, inMemory: 0 });
      await opened.close();
      return results[0]?.kind ?? "";
    });
    for (const kind of ["not opened", "accepted", "deferred"]) expect(counts, kind).toHaveProperty([kind]);
  });

  it("DNS responses, over UDP and TCP", { timeout }, async () => {
    const random = seeded(seed);
    const tcp = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        const response = aResponse(bytes.subarray(2), random);
        const length = Buffer.alloc(2);
        length.writeUInt16BE(random() < 0.9 ? response.length : below(random, 65_536));
        socket.end(Buffer.concat([length, response]));
      });
    });
    const port = await listening(tcp);
    const udp = createSocket("udp4", (query, from) => udp.send(aResponse(query, random), from.port, from.address));
    onTestFinished(() => void udp.close());
    udp.bind(port, "127.0.0.1");
    await once(udp, "listening");
    const dns = new SecureDns({ address: "127.0.0.1", port }, systemClock);
    const routes = new Routes({ dns, ownName: "out.test", issueOf: () => null, clock: systemClock });
    const lookups = new TlsaLookups(dns, systemClock);
    const counts = await runCases(async (_, index) => {
      const route = await routes.routeOf(`d${index}.test`);
      const bases = route.kind === "hosts" ? route.hosts.flatMap(({ tlsaBases }) => tlsaBases) : [];
      await lookups.find([...bases, `mx${index}.test`]);
      await dns.texts(`t${index}.test`);
      return route.kind;
    });
    for (const kind of ["hosts", "failed"]) expect(counts, kind).toHaveProperty([kind]);
  });
});

/** Returns a changed certificate that a server can show, and the context with which it does. */
function aServerContext(raw: Buffer, key: string, random: Random): { cert: string; secureContext: tls.SecureContext } {
  for (;;) {
    const body = (random() < 0.2 ? withLongLength(raw, random) : mutated(raw, random)).toString("base64");
    const cert = `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
    try {
      return { cert, secureContext: tls.createSecureContext({ key, cert }) };
    } catch {
      // OpenSSL reads no such certificate, or its key is another one.
    }
  }
}

/** Returns a certificate with more bytes for the length of its inner part than DER allows, which OpenSSL takes. */
function withLongLength(raw: Buffer, random: Random): Buffer {
  const count = 4 + below(random, 5);
  const length = Buffer.alloc(count);
  length.writeUInt32BE(raw.readUInt16BE(6), count - 4);
  const inner = Buffer.concat([Buffer.of(0x30, 0x80 + count), length, raw.subarray(8)]);
  return Buffer.concat([Buffer.of(0x30, 0x82, inner.length >> 8, inner.length & 0xff), inner]);
}

/** A reply: mostly one that fits some command, sometimes bytes of any kind. */
function aReply(random: Random): Buffer {
  const code = pick(random, [
    "250",
    "250",
    "250",
    "250",
    "354",
    "220",
    "421",
    "450",
    "451",
    "550",
    "554",
    "200",
    "299",
    "999",
    "25",
  ]);
  const text = pick(random, [
    "ok",
    "2.0.0 Ok",
    "4.7.1 too many connections, try again later",
    "4.7.28 unusual rate of mail <a@b.test>",
    "5.1.1 unknown",
    "550 5.7.1 \u0000\ud800",
    "x".repeat(below(random, 3_000)),
    "",
  ]);
  const lines = pick(random, [
    [`${code} ${text}`],
    [`${code} ${text}`],
    [`${code}-${text}`, "250-STARTTLS", "250-SIZE 99999999999999999999", "250-PIPELINING", "250 DSN"],
    [`250-x`, `${code} ${text}`],
    [code],
    Array.from({ length: below(random, 200) }, () => `${code}-${text.slice(0, 20)}`),
  ]);
  const bytes = Buffer.from(`${lines.join("\r\n")}\r\n`, "utf8");
  return random() < 0.1 && bytes.length > 2 ? mutated(bytes, random) : bytes;
}

/** A response to a query with records of many kinds; mostly some of its bytes after the question are changed. */
function aResponse(query: Buffer, random: Random): Buffer {
  const { id, questions = [] } = decode(query);
  const name = questions[0]?.name ?? "";
  const head = { name, ttl: below(random, 100) };
  const host = pick(random, ["mx.one.test", "a.test", name, ".", `${"l".repeat(63)}.test`]);
  const answers = [
    { ...head, type: "MX" as const, data: { preference: below(random, 100), exchange: host } },
    { ...head, type: "CNAME" as const, data: host },
    { ...head, type: "A" as const, data: "192.0.2.1" },
    { ...head, type: "AAAA" as const, data: "2001:db8::1" },
    { ...head, type: "TXT" as const, data: ["v=STSv1; id=1;", "x"] },
    { ...head, type: "TLSA" as const, data: { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32) } },
  ].filter(() => random() < 0.6);
  const flags = 0x180 | (random() < 0.5 ? 0x20 : 0) | (random() < 0.1 ? 0x200 : 0) | (random() < 0.05 ? 2 : 0);
  const bytes = encode({ type: "response", id, flags, questions, answers });
  const questionEnd = encode({ type: "response", id, flags, questions }).length;
  if (random() < 0.3 || bytes.length === questionEnd) return bytes;
  return mutated(bytes, random, random() < 0.95 ? questionEnd : 2);
}
