import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binaryStringToBytes } from "../../../../src/lib/bytes.ts";
import { BodyHash, relaxedHeader } from "../../../../src/mail/dkim/canonicalization.ts";
import { dkimRecord, generateDkimKeyPair, type SigningKey } from "../../../../src/mail/dkim/keys.ts";
import { signMessage } from "../../../../src/mail/dkim/sign.ts";
import { compose } from "../../../../src/mail/mime/compose.ts";
import type { ComposedMessage, MessageInput } from "../../../../src/mail/mime/message.ts";
import { inChunks } from "../../../host/support/hostile-mail.ts";
import { collect, equalBytes, formatIssues } from "../../../host/support/read-back.ts";

const BY = { domain: "x.test", now: new Date("2026-11-21T01:43:05.900Z") };
const text = new TextDecoder();
const rsa = await generateDkimKeyPair("rsa-sha256");
const ed25519 = await generateDkimKeyPair("ed25519-sha256");

function aMail(over: Partial<MessageInput> = {}): MessageInput {
  return {
    id: "01989a3e-5c1f-7000-8000-000000000001",
    messageId: "<01989a3e@x.test>",
    date: new Date("2026-11-21T01:43:05Z"),
    from: { email: "ann@x.test", name: "Ann" },
    to: [{ email: "bob@y.test" }],
    cc: [],
    subject: "Hello  there",
    headers: [],
    text: "Hi \t there  \r\n\r\nbye\r\n\r\n\r\n",
    attachments: [],
    ...over,
  };
}

function composed(over: Partial<MessageInput> = {}): ComposedMessage {
  return compose(aMail(over), { smtpUtf8: true, eightBitMime: true });
}

function key(algorithm: SigningKey["algorithm"], id: string = crypto.randomUUID()): SigningKey {
  const pkcs8 = algorithm === "rsa-sha256" ? rsa.pkcs8 : ed25519.pkcs8;
  return { id, selector: algorithm === "rsa-sha256" ? "r1" : "e1", algorithm, pkcs8: () => pkcs8 };
}

/** Returns the tags of each DKIM-Signature field of a message. */
function signatures(message: string): { [tag: string]: string }[] {
  const head = message.slice(0, message.indexOf("\r\n\r\n")).replace(/\r\n(?=[ \t])/g, "");
  const fields = head.split("\r\n").filter((field) => field.startsWith("DKIM-Signature:"));
  return fields.map((field) =>
    Object.fromEntries(
      field
        .slice("DKIM-Signature:".length)
        .split(";")
        .map((tag) => [tag.slice(0, tag.indexOf("=")).trim(), tag.slice(tag.indexOf("=") + 1).replace(/\s/g, "")]),
    ),
  );
}

async function signed(
  over: Partial<MessageInput> = {},
  keys = [key("rsa-sha256"), key("ed25519-sha256")],
): Promise<string> {
  return text.decode(await collect((await signMessage(composed(over), keys, BY)).chunks()));
}

async function hashOf(chunks: readonly Uint8Array[]): Promise<string> {
  const hash = new BodyHash();
  for (const chunk of chunks) hash.update(chunk);
  return btoa(String.fromCharCode(...hash.digest()));
}

async function sha256(bytes: string): Promise<string> {
  return btoa(
    String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", binaryStringToBytes(bytes)))),
  );
}

/** Canonicalizes a body in relaxed form (RFC 6376 3.4.4), by the simplest code. */
function relaxedBody(body: string): string {
  const lines = body.split("\r\n").map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  while (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${line}\r\n`).join("");
}

describe("canonicalization", () => {
  it("gives the results of RFC 6376 3.4.5 and of the empty body", async () => {
    expect(relaxedHeader("A: X\r\n")).toBe("a:X");
    expect(relaxedHeader("B : Y\t\r\n\tZ  \r\n")).toBe("b:Y Z");
    expect(await hashOf([binaryStringToBytes(" C \r\nD \t E\r\n\r\n\r\n")])).toBe(await sha256(" C\r\nD E\r\n"));
    expect(await hashOf([])).toBe("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  });

  it("keeps byte 160 at the ends of a field, which is not white space", () => {
    expect(relaxedHeader("X: \xa0a\xa0 \r\n")).toBe("x:\xa0a\xa0");
  });

  it("is the same for 100,000 empty lines in one chunk and in many, in the body and at its end", async () => {
    const body = `a${"\r\n".repeat(100_000)} b \r\n${"\r\n".repeat(100_000)}`;
    const expected = await sha256(relaxedBody(body));
    const bytes = binaryStringToBytes(body);
    const chunks = Array.from({ length: 500 }, (_, n) => bytes.subarray(n * 801, (n + 1) * 801));
    expect(await hashOf([bytes])).toBe(expected);
    expect(await hashOf(chunks)).toBe(expected);
  });

  it("is the same for two bodies that are read in turns as for each alone", async () => {
    const bodies = ["a b \t", " c  d\r\n"].map((piece) => piece.repeat(20_000));
    const hashes = bodies.map(() => new BodyHash());
    for (let at = 0; at < 200_000; at += 1_000) {
      for (const [n, hash] of hashes.entries())
        hash.update(binaryStringToBytes(bodies[n]?.slice(at, at + 1_000) ?? ""));
    }
    const digests = hashes.map((hash) => btoa(String.fromCharCode(...hash.digest())));
    expect(digests).toEqual(await Promise.all(bodies.map((body) => sha256(relaxedBody(body)))));
  });

  it("gives the result of a simple implementation for generated bodies split anywhere", async () => {
    const piece = fc.constantFrom(
      " ",
      "\t",
      "\r\n",
      "\r\n\r\n",
      "a",
      "bc",
      " d",
      "e ",
      "\r",
      "\n",
      "x".repeat(100),
      "\r\n \r\n",
    );
    const body = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(body, fc.array(fc.nat(12), { maxLength: 20 }), async (bytes, cuts) => {
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          chunks.push(binaryStringToBytes(bytes.slice(at, at + cut)));
          at += cut;
        }
        expect(await hashOf(chunks)).toBe(await sha256(relaxedBody(bytes)));
      }),
      { numRuns: 1000, seed: 20261121 },
    );
  });
});

describe("a signature", () => {
  it("precedes all other fields, one per key, in the order of the keys", async () => {
    const message = await signed();
    expect(message).toMatch(
      /^DKIM-Signature: v=1; a=rsa-sha256;(?:.*\r\n )*.*\r\nDKIM-Signature: v=1; a=ed25519-sha256;(?:.*\r\n )*.*\r\nFrom: /,
    );
    const [first, second] = signatures(message);
    expect(first).toMatchObject({
      v: "1",
      a: "rsa-sha256",
      c: "relaxed/relaxed",
      d: "x.test",
      s: "r1",
      t: "1795225385",
    });
    expect(second).toMatchObject({ a: "ed25519-sha256", s: "e1", bh: first?.bh });
    expect(first?.bh).toBe(await sha256("Hi there\r\n\r\nbye\r\n"));
  });

  it("is folded within 78 characters", async () => {
    const message = await signed({
      cc: [{ email: "c@z.test" }],
      headers: [["List-Unsubscribe", "<https://x.test/u>"]],
    });
    for (const line of message.slice(0, message.indexOf("\r\nFrom:")).split("\r\n"))
      expect(line.length).toBeLessThanOrEqual(78);
  });

  it("lists From, To, Subject and Date once more than they occur", async () => {
    const h = (await signatures(await signed()))[0]?.h?.split(":") ?? [];
    for (const name of ["From", "To", "Subject", "Date"]) expect(h.filter((n) => n === name).length).toBe(2);
    expect(h.filter((n) => n === "MIME-Version").length).toBe(2);
    expect(h).not.toContain("Cc");
    expect(h).not.toContain("List-Unsubscribe");
  });

  it("lists Reply-To, Cc, List-Unsubscribe, List-Unsubscribe-Post and content fields once more than they occur, if present", async () => {
    const headers: [string, string][] = [
      ["List-Unsubscribe", "<https://x.test/u>"],
      ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
      ["X-Other", "1"],
    ];
    const h =
      signatures(await signed({ cc: [{ email: "c@z.test" }], replyTo: { email: "r@x.test" }, headers }))[0]?.h?.split(
        ":",
      ) ?? [];
    for (const name of ["Cc", "Reply-To", "List-Unsubscribe", "List-Unsubscribe-Post", "Message-ID", "Content-Type"]) {
      expect(h.filter((n) => n === name).length).toBe(2);
    }
    expect(h).not.toContain("X-Other");
  });

  it("signs repeated fields from the bottom up", async () => {
    const spki = Uint8Array.from(atob(rsa.publicKey), (c) => c.charCodeAt(0));
    const publicKey = await crypto.subtle.importKey(
      "spki",
      spki,
      { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
      false,
      ["verify"],
    );
    const message = await signed(
      {
        headers: [
          ["References", "<1@x>"],
          ["References", "<2@x>"],
        ],
      },
      [key("rsa-sha256")],
    );
    const field = message.slice(0, message.indexOf("\r\nFrom:"));
    const fields = message
      .slice(field.length + 2, message.indexOf("\r\n\r\n"))
      .replace(/\r\n(?=[ \t])/g, "")
      .split("\r\n");
    const input: string[] = [];
    for (const name of (signatures(message)[0]?.h ?? "").split(":")) {
      const at = fields.findLastIndex((f) => f.toLowerCase().startsWith(`${name.toLowerCase()}:`));
      if (at >= 0) input.push(relaxedHeader(...(fields.splice(at, 1) as [string])));
    }
    expect(input.filter((f) => f.startsWith("references:"))).toEqual(["references:<2@x>", "references:<1@x>"]);
    const data = binaryStringToBytes([...input, relaxedHeader(field.replace(/ b=[^;]*$/, " b="))].join("\r\n"));
    const signature = Uint8Array.from(atob(signatures(message)[0]?.b ?? ""), (c) => c.charCodeAt(0));
    expect(await crypto.subtle.verify("RSASSA-PKCS1-v1_5", publicKey, signature, data)).toBe(true);
  });

  it("writes the signing domain in A-labels, and refuses invalid domains and selectors", async () => {
    const keys = [key("ed25519-sha256")];
    const message = await signMessage(composed(), keys, { ...BY, domain: "bücher.test" });
    expect(signatures(text.decode(await collect(message.chunks())))[0]?.d).toBe("xn--bcher-kva.test");
    await expect(signMessage(composed(), keys, { ...BY, domain: "x.test;\r\n x" })).rejects.toThrow(RangeError);
    await expect(signMessage(composed(), [{ ...key("rsa-sha256"), selector: "a; b" }], BY)).rejects.toThrow(RangeError);
  });
});

describe("a signed message", () => {
  it("has exactly its declared size, valid line ends, and the same bytes at each read", async () => {
    for (const size of [0, 10, 300_000]) {
      const bytes = new Uint8Array(size).fill(9);
      const file = {
        filename: "a",
        contentType: "a/b",
        disposition: "attachment" as const,
        size,
        open: () => inChunks(bytes, 10_000),
      };
      const message = await signMessage(composed({ attachments: [file] }), [key("ed25519-sha256")], BY);
      const first = await collect(message.chunks());
      expect(first.length).toBe(message.size);
      expect(equalBytes(first, await collect(message.chunks()))).toBe(true);
      expect(formatIssues(first, false)).toEqual([]);
    }
  });

  it("is the same when its chunks share one buffer", async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31) & 255);
    const file = { filename: "a", contentType: "a/b", disposition: "attachment" as const, size: bytes.length };
    const whole = composed({ attachments: [{ ...file, open: () => inChunks(bytes, 10_000) }] });
    const messages = [];
    for (const reuseBuffer of [false, true]) {
      messages.push(
        await collect((await signMessage(whole, [key("ed25519-sha256")], { ...BY, reuseBuffer })).chunks()),
      );
    }
    expect(equalBytes(messages[0] ?? new Uint8Array(), messages[1] ?? new Uint8Array())).toBe(true);
    expect(messages[0]?.length).toBeGreaterThan(400_000);
  });

  it("is one chunk when it is small", async () => {
    const message = await signMessage(composed(), [key("ed25519-sha256")], BY);
    let chunks = 0;
    for await (const _ of message.chunks()) chunks++;
    expect(chunks).toBe(1);
  });

  it("is unsigned when there is no key, and no attachment is read to sign it", async () => {
    let opens = 0;
    const open = () => {
      opens++;
      return inChunks(new Uint8Array(3), 3);
    };
    const file = { filename: "a", contentType: "a/b", disposition: "attachment" as const, size: 3, open };
    const message = await signMessage(composed({ attachments: [file] }), [], BY);
    expect(opens).toBe(0);
    expect(text.decode(await collect(message.chunks()))).toMatch(/^From: /);
  });

  it("needs SMTPUTF8 when an address does", async () => {
    const message = await signMessage(composed({ to: [{ email: "ü@x.test" }] }), [key("ed25519-sha256")], BY);
    expect(message.needsSmtpUtf8).toBe(true);
    expect(text.decode(await collect(message.chunks()))).toContain("To: ü@x.test\r\n");
  });

  it("fails when an attachment does not have its declared size", async () => {
    const file = {
      filename: "a",
      contentType: "a/b",
      disposition: "attachment" as const,
      size: 4,
      open: () => inChunks(new Uint8Array(3), 3),
    };
    await expect(signMessage(composed({ attachments: [file] }), [key("ed25519-sha256")], BY)).rejects.toMatchObject({
      code: "attachment_changed",
    });
  });
});

describe("keys", () => {
  it("are loaded once an isolate by id, and loaded again after a failure", async () => {
    let loads = 0;
    const counting = () => {
      loads++;
      return Promise.resolve(ed25519.pkcs8);
    };
    const id = crypto.randomUUID();
    const broken = { ...key("ed25519-sha256", id), pkcs8: () => Promise.reject(new Error("no secret")) };
    await expect(signMessage(composed(), [broken], BY)).rejects.toThrow("no secret");
    const counted = { ...key("ed25519-sha256", id), pkcs8: counting };
    for (let i = 0; i < 3; i++) await signMessage(composed(), [counted], BY);
    expect(loads).toBe(1);
  });

  it("are evicted from the cache, least recently used first", async () => {
    let loads = 0;
    const counting = () => {
      loads++;
      return ed25519.pkcs8;
    };
    const counted = { ...key("ed25519-sha256", "kept"), pkcs8: counting };
    await signMessage(composed(), [counted], BY);
    const moreKeys = Array.from({ length: 600 }, (_, i) => key("ed25519-sha256", `other-${i}`));
    for (const another of moreKeys) await signMessage(composed(), [another], BY);
    await signMessage(composed(), [counted], BY);
    expect(loads).toBe(2);
  });

  it("give a DKIM record for the public key", () => {
    expect(dkimRecord("rsa-sha256", rsa.publicKey)).toMatch(/^v=DKIM1; k=rsa; p=MII[A-Za-z0-9+/]{383}IDAQAB$/);
    expect(dkimRecord("ed25519-sha256", ed25519.publicKey)).toMatch(/^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/);
    expect(rsa.publicKey.length).toBe(392);
  });
});
