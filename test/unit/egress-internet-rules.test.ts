/** The rules of the local internet (dev/internet/rules/), row by row. */
import { describe, expect, it } from "vitest";
import type { Behaviour } from "../../dev/internet/index.ts";
import { isGreylisted } from "../../dev/internet/rules/greylist.ts";
import { replyOfMailbox } from "../../dev/internet/rules/mailboxes.ts";
import { type Bucket, takeMessage } from "../../dev/internet/rules/rate.ts";
import {
  closesAfter,
  isFull,
  refuseConnection,
  refuseFurther,
  refuseMail,
  refuseRecipient,
} from "../../dev/internet/rules/replies.ts";
import { takeBytes, type Volume } from "../../dev/internet/rules/volume.ts";
import { readCommand } from "../../dev/internet/smtp/commands.ts";
import { ContentReader, type Kept } from "../../dev/internet/smtp/content-reader.ts";

const client = { source: "127.0.0.1", isSecure: false, connections: 1, messages: 0 };
const within = { isWithinRate: () => true, isWithinVolume: () => true };
const above = { isWithinRate: () => false, isWithinVolume: () => false };

describe("refusals of a connection and of MAIL", () => {
  const own = { reply: "421 4.7.0 [TSS04] deferred" };
  const rows: [string, string | null, string | null, Behaviour, Partial<typeof client>][] = [
    ["no behaviour", null, null, {}, {}],
    ["a blocked address at the greeting", "554 5.7.1", null, { blocked: { at: "greeting" } }, {}],
    ["a blocked address at MAIL", null, "550 5.7.1", { blocked: { at: "mail" } }, {}],
    ["another blocked address", null, null, { blocked: { at: "mail", sources: ["127.0.0.2"] } }, {}],
    ["one of the blocked", null, "550 5.7.1", { blocked: { at: "mail", sources: ["127.0.0.1"] } }, {}],
    ["as many connections as allowed", null, null, { connections: { most: 1 } }, {}],
    ["more connections", "421 4.7.0", null, { connections: { most: 1 } }, { connections: 2 }],
    ["more connections, own reply", "421 4.7.0 [", null, { connections: { most: 1, ...own } }, { connections: 2 }],
    ["as many messages as a connection may send", null, null, { messagesPerConnection: { most: 2 } }, { messages: 1 }],
    ["a message too many", null, "421 4.7.0", { messagesPerConnection: { most: 2 } }, { messages: 2 }],
    ["TLS only, without TLS", null, "530 5.7.0", { tls: "required" }, {}],
    ["TLS only, with TLS", null, null, { tls: "required" }, { isSecure: true }],
  ];
  it.each(rows)("%s", (_, greeting, mail, behaviour, circumstances) => {
    const at = { ...client, ...circumstances };
    expect(refuseConnection(behaviour, at)?.slice(0, greeting?.length) ?? null).toBe(greeting);
    expect(refuseMail(behaviour, at, within)?.slice(0, mail?.length) ?? null).toBe(mail);
  });

  it("a rate refuses only what is above it, and is not asked for what another rule refuses", () => {
    const rate = { messagesPerMinute: 1 };
    expect(refuseMail({ rate }, client, within)).toBeNull();
    expect(refuseMail({ rate }, client, above)).toMatch(/^450-4\.7\.28 .*\n450 4\.7\.28 /);
    expect(refuseMail({ rate: { ...rate, reply: "421 4.7.0 slower" } }, client, above)).toBe("421 4.7.0 slower");
    const fail = { isWithinRate: () => expect.fail("asked"), isWithinVolume: () => expect.fail("asked") };
    expect(refuseMail({ rate, tls: "required" }, client, fail)).toMatch(/^530 /);
  });
});

it("a connection is full after its messages, and a message after its recipients", () => {
  const behaviour = { messagesPerConnection: { most: 2 }, recipientsPerMessage: { most: 3, reply: "452 no more" } };
  expect([1, 2].map((messages) => isFull(behaviour, { messages }))).toEqual([false, true]);
  expect([2, 3].map((recipients) => refuseFurther(behaviour, recipients))).toEqual([null, "452 no more"]);
  expect(isFull({}, { messages: 9 }) || refuseFurther({}, 9)).toBeNull();
});

it("bytes above those of a window are refused until the next one, and count nothing", () => {
  const limit = { bytes: 100, seconds: 6 };
  let volume: Volume | undefined;
  const take = (size: number, now: number) => {
    const taken = takeBytes(volume, limit, { size, now });
    volume = taken.volume;
    return taken.isWithin;
  };
  expect([take(60, 0), take(41, 1_000), take(40, 5_999), take(1, 5_999), take(100, 6_000)]).toEqual([
    ...[true, false, true, false, true],
  ]);
  expect(refuseMail({ volume: limit }, client, above)).toMatch(/^451 4\.7\.1 /);
});

describe("the rate", () => {
  /** Returns how many of these times in ms are accepted. */
  function accepted(times: number[], rate: { messagesPerMinute: number; burst?: number }): number {
    let bucket: Bucket | undefined;
    return times.filter((now) => {
      const taken = takeMessage(bucket, rate, now);
      bucket = taken.bucket;
      return taken.isWithin;
    }).length;
  }
  const every = (ms: number, count: number) => Array.from({ length: count }, (_, n) => 1_000 + n * ms);

  it.each([
    ["a burst at once", every(0, 10), { messagesPerMinute: 60, burst: 3 }, 3],
    ["its rate for ever", every(1_000, 500), { messagesPerMinute: 60, burst: 1 }, 500],
    ["half of twice its rate", every(500, 500), { messagesPerMinute: 60, burst: 1 }, 250],
    ["five at once of a low rate", every(0, 10), { messagesPerMinute: 1 }, 5],
    ["two seconds at once of a high rate", every(0, 1_000), { messagesPerMinute: 6_000 }, 200],
    [
      "no more after a pause than a burst",
      [0, ...every(0, 10).map((at) => at + 900_000)],
      { messagesPerMinute: 60, burst: 2 },
      3,
    ],
    ["none for a clock that was set back", [9_000, 8_000, 7_000], { messagesPerMinute: 60, burst: 1 }, 1],
  ])("accepts %s", (_, times, rate, count) => {
    expect(accepted(times, rate)).toBe(count);
  });
});

describe("greylisting", () => {
  it.each([
    [undefined, 5_000, true],
    [5_000, 5_000, true],
    [5_000, 64_999, true],
    [5_000, 65_000, false],
    [5_000, 900_000, false],
  ])("first seen at %s, now %s: %s", (firstSeenAt, now, isDeferred) => {
    expect(isGreylisted(firstSeenAt, 60, now)).toBe(isDeferred);
    const reply = refuseRecipient({ greylist: { seconds: 60 } }, firstSeenAt, now);
    expect(reply?.slice(0, 9) ?? null).toBe(isDeferred ? "451 4.7.1" : null);
    expect(refuseRecipient({}, firstSeenAt, now)).toBeNull();
  });
});

describe("replies of mailboxes", () => {
  it.each([
    ["unknown@a.test", "550 5.1.1"],
    ["Unknown+label@a.test", "550 5.1.1"],
    ["full@a.test", "452 4.2.2"],
    ["fuller@a.test", undefined],
    ["ann@unknown.test", undefined],
    ["constructor@a.test", undefined],
  ])("%s: %s", (address, reply) => {
    expect(replyOfMailbox(address)?.reply.slice(0, 9)).toBe(reply);
  });
});

it("every n-th message closes the connection", () => {
  const closed = [1, 2, 3, 4, 5, 6].filter((n) => closesAfter({ closesAfterDot: { each: 3 } }, n));
  expect(closed).toEqual([3, 6]);
  expect(closesAfter({}, 1)).toBe(false);
});

describe("commands", () => {
  it.each([
    ["EHLO a.test", "EHLO", "", []],
    ["mail from:<a@b.test> SIZE=5 ENVID=x.y", "MAIL", "a@b.test", ["SIZE=5", "ENVID=x.y"]],
    ["MAIL FROM: <>", "MAIL", "", []],
    ["RCPT TO:<c@d.test>", "RCPT", "c@d.test", []],
    ["", "", "", []],
  ])("%s", (line, verb, address, parameters) => {
    expect(readCommand(line)).toEqual({ verb, address, parameters });
  });
});

describe("the end of a message", () => {
  const message = "Subject: a\r\nX: b\r\n\r\n..stuffed\r\n.. \r\nlast\r\n";
  const read = (text: string, chunk: number, kept: Kept) => {
    const reader = new ContentReader(kept);
    const bytes = Buffer.from(text, "latin1");
    for (let at = 0; at < bytes.length; at += chunk) {
      const end = reader.read(bytes.subarray(at, at + chunk));
      if (end !== null)
        return { size: reader.size, kept: reader.kept().toString("latin1"), rest: text.slice(at + end) };
    }
    return null;
  };

  it("is found wherever chunks end", () => {
    for (let chunk = 1; chunk < 60; chunk++) {
      const found = read(`${message}.\r\nQUIT\r\n`, chunk, "content");
      expect(found, String(chunk)).toMatchObject({ size: message.length, rest: "QUIT\r\n" });
      expect(found?.kept).toBe("Subject: a\r\nX: b\r\n\r\n.stuffed\r\n. \r\nlast\r\n");
      expect(read(`${message}.\r\nQUIT\r\n`, chunk, "header")?.kept).toBe("Subject: a\r\nX: b\r\n");
      expect(read(message, chunk, "content")).toBeNull();
    }
  });

  it.each([
    [".\r\n", "", ""],
    ["a\r\n.\r\n", "a\r\n", "a\r\n"],
    ["a: b\r\n\r\n.\r\n", "a: b\r\n\r\n", "a: b\r\n"],
    ["a\n.\n\r\n.\r\n", "a\n.\n\r\n", "a\n.\n\r\n"],
  ])("of %j is its first line with a single dot", (text, content, header) => {
    for (let chunk = 1; chunk <= text.length; chunk++) {
      expect(read(text, chunk, "content")).toEqual({ size: content.length, kept: content, rest: "" });
      expect(read(text, chunk, "header")?.kept).toBe(header);
    }
  });
});
