import { createHash } from "node:crypto";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { generateDkimKeyPair, type SigningKey } from "../../src/mail/dkim/keys.ts";
import { signMessage } from "../../src/mail/dkim/sign.ts";
import { compose } from "../../src/mail/mime/compose.ts";
import { collect } from "../host/support/read-back.ts";

const SIZE = 24 * 1024 * 1024;
const { pkcs8 } = await generateDkimKeyPair("ed25519-sha256");
const KEY: SigningKey = { id: crypto.randomUUID(), selector: "e1", algorithm: "ed25519-sha256", pkcs8: () => pkcs8 };

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
});
