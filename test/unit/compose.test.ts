import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signMessage } from "../../src/mail/dkim/sign.ts";
import { compose } from "../../src/mail/mime/compose.ts";
import { ComposeError } from "../../src/mail/mime/errors.ts";
import {
  type ExpectedPart,
  expectedAddresses,
  expectedErrors,
  expectedHeaders,
  expectedTree,
} from "../host/support/expected-mail.ts";
import { byExtent } from "../host/support/extent.ts";
import { type GeneratedMail, generatedMail } from "../host/support/hostile-mail.ts";
import { pythonUnavailable, runPython } from "../host/support/python.ts";
import { collect, formatIssues, readWithPostalMime, treeWithoutBom, withoutBom } from "../host/support/read-back.ts";

const SEED = Number(process.env.TEST_SEED ?? 20261121);
const COUNT = byExtent({ quick: 150, full: 500, long: 10_000 });
const BATCH = 500;

interface PythonPart {
  type: string;
  children?: PythonPart[];
  bytes?: string;
  disposition?: string;
  filename?: string;
  contentId?: string;
}
interface PythonMail {
  error?: string;
  headers: [string, string][];
  subject: string;
  addresses: { [header: string]: { name: string; address: string }[] };
  date: number;
  tree: PythonPart;
  defects: string[];
}

const skip = pythonUnavailable();

describe("generated hostile messages, parsed by two parsers", () => {
  it("are refused for the expected reason, or have valid line ends and parse in postal-mime as expected", {
    timeout: 900_000,
  }, async () => {
    for (const { mail, message, needsSmtpUtf8, where } of await composedMails(COUNT)) {
      expect(formatIssues(message, needsSmtpUtf8), where).toEqual([]);
      const tree = expectedTree(mail);
      const seen = await readWithPostalMime(message);
      const headers = expectedHeaders(mail, tree);
      expect(
        seen.headers.map(([name]) => name),
        where,
      ).toEqual(headers.names);
      expect(treeWithoutBom(seen.tree), where).toEqual(treeWithoutBom(tree));
      expect(withoutBom(seen.subject), where).toBe(withoutBom(mail.subject.toWellFormed()));
      expect(withoutBom(seen.addresses), where).toEqual(withoutBom(expectedAddresses(mail)));
    }
  });

  it.skipIf(skip)("parse in Python's email package as expected", { timeout: 900_000 }, async () => {
    for (let start = 0; start < COUNT; start += BATCH) {
      const mails = await composedMails(Math.min(BATCH, COUNT - start), start);
      const responses = await runPython(
        "read_back.py",
        mails.map((m) => m.message),
        mails.length,
      );
      for (const [i, { mail, where }] of mails.entries()) expectPython(mail, responses[i] as PythonMail, where);
    }
  });
});

function expectPython(mail: GeneratedMail, seen: PythonMail, where: string): void {
  expect(seen.error, where).toBeUndefined();
  expect(seen.defects, where).toEqual([]);
  const tree = expectedTree(mail);
  const headers = expectedHeaders(mail, tree);
  expect(
    seen.headers.map(([name]) => name),
    where,
  ).toEqual(headers.names);
  expect(fromPython(seen.tree, true), where).toEqual(tree);
  expect(seen.subject, where).toBe(mail.subject.toWellFormed());
  expect(seen.addresses, where).toEqual(expectedAddresses(mail));
  expect(seen.date, where).toBe(mail.date.getTime() / 1000);
  const custom = headers.custom.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  const start = headers.names.indexOf("message-id") + 1;
  expect(seen.headers.slice(start, start + custom.length), where).toEqual(custom);
}

function fromPython(part: PythonPart, isRoot = false): ExpectedPart {
  if (part.children) return { type: part.type, children: part.children.map((child) => fromPython(child)) };
  if (part.disposition === undefined) {
    const bytes = Buffer.from(part.bytes ?? "", "base64");
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replaceAll("\r\n", "\n");
    return { type: part.type, text: isRoot ? text.replace(/\n$/, "") : text };
  }
  const read = {
    type: part.type,
    bytes: part.bytes ?? "",
    filename: part.filename ?? "",
    disposition: part.disposition,
  };
  return part.contentId ? { ...read, contentId: part.contentId } : read;
}

interface ComposedCase {
  mail: GeneratedMail;
  message: Uint8Array;
  needsSmtpUtf8: boolean;
  /** Context of a failure message. */
  where: string;
}

/** Returns the messages of this seed that compose. Asserts that each other one is refused for an expected reason. */
async function composedMails(count: number, skipped = 0): Promise<ComposedCase[]> {
  const out: ComposedCase[] = [];
  const mails = fc.sample(generatedMail, { numRuns: count, seed: SEED + skipped });
  for (const [i, mail] of mails.entries()) {
    const where = `seed ${SEED + skipped}, mail ${i} of ${count}`;
    const errors = expectedErrors(mail);
    let code = "none";
    try {
      const composed = compose(mail, { smtpUtf8: mail.smtpUtf8, eightBitMime: false });
      const outgoing = await signMessage(composed, [], { domain: "x.test", now: mail.date });
      const message = await collect(outgoing.chunks());
      expect(message.length, where).toBe(outgoing.size);
      out.push({ mail, message, needsSmtpUtf8: composed.needsSmtpUtf8, where });
    } catch (error) {
      if (!(error instanceof ComposeError)) throw error;
      code = error.code;
    }
    expect(errors.size === 0 ? ["none"] : [...errors], where).toContain(code);
  }
  expect(out.length).toBeGreaterThan(count / 2);
  return out;
}
