import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { sealArc } from "../../src/mail/arc/seal.ts";
import { BodyHash } from "../../src/mail/dkim/canonicalization.ts";
import { dkimRecord, generateDkimKeyPair, type SigningKey } from "../../src/mail/dkim/keys.ts";
import { parseFields } from "../../src/mail/raw/fields.ts";

type Resolver = (name: string, type: string) => Promise<string[][]>;
interface Checked {
  arc: { status: { result: string; comment?: string }; i: number };
  dkim: { results: { status: { result: string } }[] };
}
type Authenticate = (message: Buffer, options: Record<string, unknown>) => Promise<Checked>;
// Its types lack some options.
const { authenticate } = createRequire(import.meta.url)("mailauth") as { authenticate: Authenticate };

const pair = await generateDkimKeyPair("rsa-sha256");
const key: SigningKey = { id: crypto.randomUUID(), selector: "s1", algorithm: "rsa-sha256", pkcs8: () => pair.pkcs8 };
const record = dkimRecord("rsa-sha256", pair.publicKey);
const resolver: Resolver = (name, type) =>
  type === "TXT" && /^s1\._domainkey\.(?:first|second)\.example$/.test(name)
    ? Promise.resolve([[record]])
    : Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));

const check = (message: string) =>
  authenticate(Buffer.from(message, "latin1"), {
    ...{ resolver, ip: "192.0.2.1", helo: "mx.example", sender: "ada@example.org", mta: "mx.example" },
    trustReceived: false,
    disableBimi: true,
  });

/** Seals a message as a forward of a mailbox of `domain` does. `chain` is the result for the seals that it has. */
async function forwarded(message: string, domain: string, chain: string | null): Promise<string> {
  const end = message.indexOf("\r\n\r\n") + 2;
  const hash = new BodyHash();
  hash.update(Buffer.from(message.slice(end + 2), "latin1"));
  const arc = await sealArc(parseFields(message.slice(0, end), true), {
    ...{ key, domain, chain, authservId: "mx.example", bodyHash: hash.digest(), at: Math.floor(Date.now() / 1000) },
    results: "spf=pass smtp.mailfrom=ada@example.org;\r\n dkim=pass header.d=example.org header.s=s1",
  });
  return `${arc}Received: by mx.example; now\r\nDelivered-To: a@${domain}\r\n${message}`;
}

const BODIES = [
  "Hello,\r\n\r\nworld  \t.\r\n\r\n\r\n",
  "",
  "K\u00fcche \u00e9\r\n",
  "x".repeat(20_000).replace(/.{70}/g, "$&\r\n"),
];
const aMessage = (body: string) =>
  `DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=x;\r\n bh=abc; b=def\r\nFrom: Ada <ada@example.org>\r\nTo: a@first.example\r\nSubject:  A  folded\r\n\tsubject\r\nDate: Sat, 21 Nov 2026 14:00:00 +0000\r\nMessage-ID: <1@example.org>\r\nSubject: twice\r\n\r\n${body}`;

it("the seals of one forward, and of a second one after it, pass in mailauth; a changed message fails", async () => {
  for (const body of BODIES) {
    const once = await forwarded(aMessage(body), "first.example", null);
    expect((await check(once)).arc).toMatchObject({ status: { result: "pass" }, i: 1 });
    const twice = await forwarded(once, "second.example", "pass");
    expect((await check(twice)).arc).toMatchObject({ status: { result: "pass" }, i: 2 });
    const changed = twice.replace("A  folded", "A changed");
    expect((await check(changed)).arc.status.result).toBe("fail");
    const withoutFirst = twice.replace(/ARC-Seal: i=1;[\s\S]*?\r\n(?![ \t])/, "");
    expect((await check(withoutFirst)).arc.status.result).not.toBe("pass");
  }
});

it("a message with seals that were not found valid gets no further one", async () => {
  const once = await forwarded(aMessage("Hello.\r\n"), "first.example", null);
  for (const chain of [null, "fail", "none"])
    expect((await forwarded(once, "second.example", chain)).startsWith("Received: ")).toBe(true);
  const broken = once.replace(/^ARC-Seal: [\s\S]*?\r\n(?![ \t])/, "");
  expect((await forwarded(broken, "second.example", "pass")).startsWith("Received: ")).toBe(true);
});
