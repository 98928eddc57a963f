/** The parser of received mail, compared with Python's email. */
import { describe, expect, it } from "vitest";
import { parseMessage } from "../../src/mail/messages/parse.ts";
import { pythonUnavailable, runPython } from "../host/support/python.ts";
import { type ReceivedMail, randomFrom, receivedMail } from "../host/support/received-mail.ts";

const COUNT = process.env.TEST_LONG ? 2_000 : 150;
const SEED = 20_261_121;

/** Where the two read a message differently, and why. */
const KNOWN: readonly (readonly [miss: RegExp, why: string])[] = [
  [
    /^by hand \d+: subject: "space before the colon" and ""/,
    "Python ends the header at a space before a colon (RFC 5322 4.5)",
  ],
  [/^by hand \d+: subject: ".*xy" and ".*x y"$/, "Python adds a space after an encoded-word that a letter follows"],
  [
    /^Python \d+: (?:to|cc): [^;]*$/,
    "Python writes the comma between two addresses as an encoded-word, so neither is certain",
  ],
];

interface Read {
  subject: string;
  from: string[];
  to: string[];
  cc: string[];
  parts: number;
}

const emails = (list: readonly ({ email: string } | null)[]) =>
  list.flatMap((one) => (one?.email.includes("@") ? [one.email.toLowerCase()] : []));
const line = (text: string) => text.replace(/\s+/g, " ").trim();

function read(raw: Uint8Array): Read {
  const { subject, from, to, cc, parts } = parseMessage(raw);
  return { subject: line(subject), from: emails([from]), to: emails(to), cc: emails(cc), parts: parts.length };
}

/** Returns what the two parsers read differently. */
function differences(ours: Read, theirs: Read & { error?: string }): string[] {
  if (theirs.error !== undefined) return [];
  const fields = ["subject", "from", "to", "cc", "parts"] as const;
  return fields
    .filter((field) => line(JSON.stringify(ours[field])) !== line(JSON.stringify(theirs[field])))
    .map((field) => `${field}: ${JSON.stringify(ours[field])} and ${JSON.stringify(theirs[field])}`);
}

describe.skipIf(pythonUnavailable() !== null)("received mail", () => {
  it("is read as Python's email reads it; at least 98 of 100 alike, and each other one for a known reason", async () => {
    const mail = await receivedMail(SEED, COUNT);
    const theirs = (await runPython(
      "read_mail.py",
      mail.map(({ raw }) => raw),
      mail.length,
    )) as Read[];
    const misses = mail.flatMap(({ name, raw }, index) => {
      const found = differences(read(raw), { ...(theirs[index] as Read), subject: line(theirs[index]?.subject ?? "") });
      return found.length > 0 ? [`${name}: ${found.join("; ")}`] : [];
    });
    expect(misses.filter((miss) => !KNOWN.some(([known]) => known.test(miss)))).toEqual([]);
    expect(misses.length / mail.length).toBeLessThanOrEqual(0.02);
  });

  it("that is damaged anywhere is parsed without an error", async () => {
    const random = randomFrom(SEED);
    const mail: ReceivedMail[] = await receivedMail(SEED + 1, 40);
    for (const { raw } of mail) {
      for (let round = 0; round < 10; round++) {
        const damaged = Uint8Array.from(raw);
        for (let change = 0; change < 8; change++)
          damaged[Math.floor(random() * raw.length)] = Math.floor(random() * 256);
        const cut = damaged.subarray(0, random() < 0.3 ? Math.floor(random() * raw.length) : raw.length);
        expect(() => parseMessage(cut)).not.toThrow();
      }
    }
  });
});
