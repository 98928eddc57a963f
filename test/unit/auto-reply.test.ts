import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signMessage } from "../../src/mail/dkim/sign.ts";
import { ComposeError } from "../../src/mail/mime/errors.ts";
import { composeReply, type ReplyContent } from "../../src/mailboxes/auto-replies/index.ts";
import { expectedAddresses } from "../host/support/expected-mail.ts";
import { type GeneratedMail, generatedMail } from "../host/support/hostile-mail.ts";
import { pythonUnavailable, runPython } from "../host/support/python.ts";
import { collect, formatIssues, readWithPostalMime } from "../host/support/read-back.ts";

const SEED = Number(process.env.TEST_SEED ?? 20261122);
const COUNT = process.env.TEST_LONG === "1" ? 10_000 : 1_000;

const content: ReplyContent = {
  messageId: "<01a1fe73@example.test>",
  date: new Date("2026-11-22T10:00:00Z"),
  from: { email: "hello@example.test", name: "Hello" },
  to: "ada@example.org",
  subject: "Away",
  inReplyTo: "<1@example.org>",
  text: "I am away.",
};

async function composed(changes: Partial<ReplyContent> = {}): Promise<{ message: Uint8Array; utf8: boolean }> {
  const reply = composeReply({ ...content, ...changes });
  const outgoing = await signMessage(reply, [], { domain: "example.test", now: content.date });
  const message = await collect(outgoing.chunks());
  expect(message.length).toBe(outgoing.size);
  return { message, utf8: reply.needsSmtpUtf8 };
}

const FIELDS = ["date", "from", "to", "message-id", "subject", "auto-submitted", "in-reply-to", "references"];
const NAMES = [...FIELDS, "mime-version", "content-type", "content-transfer-encoding"].sort();

interface PythonMail {
  error?: string;
  headers: [string, string][];
  subject: string;
  addresses: Record<"from" | "to", { name: string; address: string }[]>;
  tree: { type: string; bytes?: string };
  defects: string[];
}

const lf = (text: string) => text.replace(/\r\n?/g, "\n").replace(/\n$/, "");

describe("an automatic reply", () => {
  it("has each field once, in lines of printable ASCII", async () => {
    const { message } = await composed({ subject: "Am Strand \u{1f3d6}", text: "Gr\u00fc\u00dfe" });
    expect(new TextDecoder().decode(message)).toMatch(/^(?:[\x20-\x7e]{1,78}\r\n)+\r\n(?:[\x20-\x7e]*\r\n)+$/);
    expect((await readWithPostalMime(message)).headers.map(([name]) => name).sort()).toEqual(NAMES);
  });

  it("is folded at 78 characters with a subject and a name of any length", async () => {
    for (const subject of [
      "x".repeat(500),
      "\u{1f3d6}".repeat(250),
      "word ".repeat(100).trim(),
      "\u00e4".repeat(500),
    ]) {
      const { message } = await composed({ subject, from: { email: content.from.email, name: subject.slice(0, 160) } });
      const [head = ""] = new TextDecoder().decode(message).split("\r\n\r\n");
      expect(Math.max(...head.split("\r\n").map(({ length }) => length))).toBeLessThanOrEqual(78);
      expect((await readWithPostalMime(message)).subject).toBe(subject);
    }
  });

  it.each<[string, Partial<ReplyContent>]>([
    ["subject", { subject: "a\r\nBcc: b@example.org" }],
    ["subject", { subject: "a\0" }],
    ["subject", { subject: "a\n\nbody" }],
    ["recipient", { to: "a@example.org\r\nBcc: b@example.org" }],
    ["recipient", { to: "a@example.org>, <b@example.org" }],
    ["recipient", { to: "" }],
    ["sender", { from: { email: "a@example.org\nX: y" } }],
    ["Message-ID", { messageId: "<a@b>\r\nX: y" }],
    ["Message-ID", { messageId: "a@b" }],
    ["In-Reply-To", { inReplyTo: "<a@b>\r\nX: y" }],
    ["In-Reply-To", { inReplyTo: "<a@b> <c@d>" }],
    ["In-Reply-To", { inReplyTo: "<\u00e4@b>" }],
  ])("is refused when its %s could add a field", (_, changes) => {
    expect(() => composeReply({ ...content, ...changes })).toThrow(ComposeError);
  });

  it("loses line breaks of a display name, and no line of its text ends it or the header", async () => {
    const name = "Ada\r\nBcc: b@example.org\0\n\n";
    const text = "a\r\n.\r\n\r\nBcc: b@example.org\r--b\nFrom x\n\u2028\0";
    const { message } = await composed({ from: { email: content.from.email, name }, text });
    const { headers, addresses, tree } = await readWithPostalMime(message);
    expect(headers.map(([key]) => key).sort()).toEqual(NAMES);
    expect(addresses.from?.[0]?.name).toBe("Ada Bcc: b@example.org");
    expect(lf(tree.text ?? "")).toBe(lf(text));
    expect(formatIssues(message, false)).toEqual([]);
  });

  it.skipIf(pythonUnavailable())("of hostile texts reads the same in Python's email package", async () => {
    const mails = fc.sample(generatedMail, { numRuns: COUNT, seed: SEED });
    const replies: { mail: GeneratedMail; message: Uint8Array }[] = [];
    for (const mail of mails) {
      const { from, to, subject, text } = mail;
      try {
        const { message, utf8 } = await composed({ from, to: to[0]?.email ?? content.to, subject, text: text ?? "" });
        expect(formatIssues(message, utf8), subject).toEqual([]);
        replies.push({ mail, message });
      } catch (error) {
        expect(error).toBeInstanceOf(ComposeError);
      }
    }
    expect(replies.length).toBeGreaterThan(COUNT / 10);
    const responses = await runPython(
      "read_back.py",
      replies.map(({ message }) => message),
      replies.length,
    );
    for (const [index, { mail }] of replies.entries()) {
      const seen = responses[index] as PythonMail;
      const where = `seed ${SEED}, subject ${JSON.stringify(mail.subject)}`;
      expect([seen.error, seen.defects], where).toEqual([undefined, []]);
      expect(seen.headers.map(([name]) => name).sort(), where).toEqual(NAMES);
      expect(seen.subject, where).toBe(mail.subject.toWellFormed());
      expect(seen.addresses.from, where).toEqual(expectedAddresses(mail).from);
      expect(seen.addresses.to.length, where).toBe(1);
      const bytes = Buffer.from(seen.tree.bytes ?? "", "base64").toString();
      expect([seen.tree.type, lf(bytes)], where).toEqual(["text/plain", lf((mail.text ?? "").toWellFormed())]);
    }
  });
});
