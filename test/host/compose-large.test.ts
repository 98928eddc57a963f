import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import path from "node:path";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { generateDkimKeyPair, type SigningKey, signMessage } from "../../src/mail/dkim/index.ts";
import { compose } from "../../src/mail/mime/index.ts";
import { collect } from "./support/read-back.ts";

const SIZE = 24 * 1024 * 1024;
const { pkcs8 } = await generateDkimKeyPair("ed25519-sha256");
const KEY: SigningKey = { id: "large", selector: "e1", algorithm: "ed25519-sha256", pkcs8: () => pkcs8 };

/** Yields SIZE bytes, generated while they are read. */
async function* generated(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < SIZE; at += 65_536) {
    const chunk = new Uint8Array(65_536);
    for (let i = 0; i < chunk.length; i++) chunk[i] = ((at + i) * 2654435761) >>> 24;
    yield chunk;
  }
}

function aLargeMail() {
  return compose(
    {
      id: "01989a3e-5c1f-7000-8000-000000000001",
      messageId: "<01989a3e@x.test>",
      date: new Date("2026-11-21T01:43:05Z"),
      from: { email: "ann@x.test" },
      to: [{ email: "bob@y.test" }],
      cc: [],
      subject: "Large",
      headers: [],
      text: "See attached",
      attachments: [
        { filename: "a.bin", contentType: "application/zip", disposition: "attachment", size: SIZE, open: generated },
      ],
    },
    { smtpUtf8: false, eightBitMime: false },
  );
}

describe("a message with an attachment of 24 MiB", () => {
  it("has exactly its declared size and parses back to the attachment", { timeout: 120_000 }, async () => {
    const outgoing = await signMessage(aLargeMail(), [KEY], { domain: "x.test", now: new Date() });
    const message = await collect(outgoing.chunks());
    expect(message.length).toBe(outgoing.size);
    const expected = createHash("sha256");
    for await (const chunk of generated()) expected.update(chunk);
    const seen = await PostalMime.parse(message);
    const file = seen.attachments[0]?.content;
    if (!(file instanceof ArrayBuffer)) throw new Error("the message has no attachment");
    expect(file.byteLength).toBe(SIZE);
    expect(createHash("sha256").update(new Uint8Array(file)).digest("hex")).toBe(expected.digest("hex"));
  });

  it("takes at most 60 MB more resident memory than the same message with an empty attachment, through both reads", {
    timeout: 120_000,
  }, () => {
    const empty = peakOf(0);
    const large = peakOf(SIZE);
    expect(large.bytes).toBe(large.size);
    expect(large.bytes).toBeGreaterThan((SIZE / 57) * 78);
    // The budget of memory is in docs/performance.md. The figure includes the source's garbage and the compiler's memory.
    expect((large.peakKib - empty.peakKib) / 1024).toBeLessThan(60);
  });
});

describe("a message with 5,000,000 line ends", () => {
  it("takes at most 64 MB more resident memory than one without", { timeout: 120_000 }, () => {
    const [none, many] = [peakOf(0), peakOf(0, 5_000_000)];
    expect(many.bytes).toBe(many.size);
    expect(many.bytes).toBeGreaterThan(10_000_000);
    expect((many.peakKib - none.peakKib) / 1024).toBeLessThan(64);
  });
});

function peakOf(size: number, lineEnds = 0): { size: number; bytes: number; peakKib: number } {
  const script = path.join(import.meta.dirname, "support/peak-memory.ts");
  const child = spawnSync(process.execPath, [script, String(size), String(lineEnds)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as { size: number; bytes: number; peakKib: number };
}
