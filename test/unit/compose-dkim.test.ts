import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dkimRecord, generateDkimKeyPair, type SigningKey } from "../../src/mail/dkim/keys.ts";
import { signMessage } from "../../src/mail/dkim/sign.ts";
import { compose } from "../../src/mail/mime/compose.ts";
import { expectedErrors } from "../host/support/expected-mail.ts";
import { generatedMail } from "../host/support/hostile-mail.ts";
import { pythonUnavailable, runPython } from "../host/support/python.ts";
import { collect } from "../host/support/read-back.ts";

interface DkimResult {
  signingDomain: string;
  selector: string;
  algo: string;
  status: { result: string };
}
type Resolver = (name: string, type: string) => Promise<string[][]>;
type DkimVerify = (message: Buffer, options: { resolver: Resolver }) => Promise<{ results: DkimResult[] }>;
// Its types lack the `resolver` option.
const { dkimVerify } = createRequire(import.meta.url)("mailauth/lib/dkim/verify.js") as { dkimVerify: DkimVerify };

const SEED = Number(process.env.TEST_SEED ?? 20261121);
const COUNT = process.env.TEST_LONG === "1" ? 2_000 : 120;

const [rsa, ed25519] = await Promise.all([generateDkimKeyPair("rsa-sha256"), generateDkimKeyPair("ed25519-sha256")]);
// Imported keys are kept by id, and the files of this process share them.
const RUN = crypto.randomUUID();
const KEYS: SigningKey[] = [
  { id: `${RUN} r`, selector: "r1", algorithm: "rsa-sha256", pkcs8: () => rsa.pkcs8 },
  // Of another domain, as the one of CFBL-Address is (RFC 9477 3.1.3).
  { id: `${RUN} r`, selector: "c1", domain: "bounces.y.test", algorithm: "rsa-sha256", pkcs8: () => rsa.pkcs8 },
  { id: `${RUN} e`, selector: "e1", algorithm: "ed25519-sha256", pkcs8: () => ed25519.pkcs8 },
];
const RECORDS: Record<string, string> = {
  "r1._domainkey.x.test": dkimRecord("rsa-sha256", rsa.publicKey),
  "c1._domainkey.bounces.y.test": dkimRecord("rsa-sha256", rsa.publicKey),
  "e1._domainkey.x.test": dkimRecord("ed25519-sha256", ed25519.publicKey),
};

const resolver: Resolver = (name) => {
  const record = RECORDS[name];
  return record
    ? Promise.resolve([[record]])
    : Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
};
const skip = pythonUnavailable("dkim");

describe("signatures of generated messages, and of the same messages with one byte changed", () => {
  it("pass and fail in mailauth, for RSA, Ed25519 and the key of another domain", { timeout: 900_000 }, async () => {
    for (const { message, altered, where } of await signedMails()) {
      expect(await resultsOf(message), where).toEqual([
        "bounces.y.test rsa-sha256 pass",
        "x.test ed25519-sha256 pass",
        "x.test rsa-sha256 pass",
      ]);
      for (const result of await resultsOf(altered)) expect(result, where).not.toMatch(/ pass$/);
    }
  });

  it.skipIf(skip)(
    "pass and fail in dkimpy, for RSA, Ed25519 and the key of another domain",
    { timeout: 900_000 },
    async () => {
      const mails = await signedMails();
      const blocks = [Buffer.from(JSON.stringify(RECORDS)), ...mails.flatMap((mail) => [mail.message, mail.altered])];
      const responses = (await runPython("verify_dkim.py", blocks, mails.length * 2)) as unknown[][];
      for (const [i, { where }] of mails.entries()) {
        expect(responses[i * 2], where).toEqual([true, true, true]);
        expect(responses[i * 2 + 1], where).not.toContain(true);
      }
    },
  );
});

async function resultsOf(message: Uint8Array): Promise<string[]> {
  const { results } = await dkimVerify(Buffer.from(message), { resolver });
  return results.map((r) => `${r.signingDomain} ${r.algo} ${r.status.result}`).sort();
}

interface SignedMail {
  message: Uint8Array;
  altered: Uint8Array;
  where: string;
}

async function signedMails(): Promise<SignedMail[]> {
  const out: SignedMail[] = [];
  // Includes messages with UTF-8 headers: relaxed canonicalization leaves them unchanged, in mailauth and dkimpy too.
  const mails = fc.sample(generatedMail, { numRuns: COUNT, seed: SEED });
  const seeds = fc.sample(fc.nat(), { numRuns: COUNT, seed: SEED });
  for (const [i, mail] of mails.entries()) {
    if (expectedErrors(mail).size > 0) continue;
    const composed = compose(mail, { smtpUtf8: mail.smtpUtf8, eightBitMime: false });
    const outgoing = await signMessage(composed, KEYS, { domain: "x.test", now: new Date() });
    const message = await collect(outgoing.chunks());
    const at = pickAlterableByte(message, seeds[i] ?? 0);
    const altered = message.slice();
    altered[at] = (altered[at] ?? 0) ^ 1;
    out.push({ message, altered, where: `seed ${SEED}, mail ${i} of ${COUNT}, byte ${at} changed` });
  }
  expect(out.length).toBeGreaterThan(COUNT / 2);
  return out;
}

/** Returns the position of a letter or digit in the body or in a signed header's value. White space may change without failing. */
function pickAlterableByte(message: Uint8Array, seed: number): number {
  const text = Buffer.from(message).toString("latin1");
  const positions: number[] = [];
  const headEnd = text.indexOf("\r\n\r\n");
  for (const field of text
    .slice(0, headEnd)
    .matchAll(/^(From|To|Subject|Date|Message-ID|Content-Type): .*(?:\r\n[ \t].*)*/gm)) {
    const value = (field.index ?? 0) + (field[1]?.length ?? 0) + 1;
    for (let at = value; at < (field.index ?? 0) + field[0].length; at++) positions.push(at);
  }
  for (let at = headEnd + 4; at < message.length; at++) positions.push(at);
  const alphanumeric = positions.filter((at) => /[0-9A-Za-z]/.test(text[at] ?? ""));
  return alphanumeric[seed % alphanumeric.length] ?? 0;
}
