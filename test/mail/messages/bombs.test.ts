import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../src/mail/messages/index.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const nested = (depth: number) => {
  const opening = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
  );
  return `${opening.join("")}Content-Type: text/plain\r\n\r\ndeep\r\n`;
};
const manyParts = (count: number) =>
  `Content-Type: multipart/mixed; boundary=x\r\n\r\n${"--x\r\n\r\na\r\n".repeat(count)}--x--\r\n`;

/** Hostile messages, and what must be said about them. */
const bombs: Record<string, [message: () => string, problem: RegExp | null]> = {
  "100,000 parts": [() => manyParts(100_000), /more than 1000 parts/],
  "1,000 levels of multiparts": [() => nested(1_000), /nested deeper/],
  "30 levels with one boundary each, 2 MB of dashes": [() => nested(30) + "--b\r\n".repeat(400_000), null],
  "a header of 8 MB": [() => `X-A: ${"a".repeat(8_000_000)}\r\nSubject: late\r\n\r\nbody`, /header is larger/],
  "200,000 header fields": [() => `${"X-A: b\r\n".repeat(200_000)}\r\nbody`, /header is larger/],
  "one subject of 100,000 encoded-words": [
    () => `Subject: ${"=?utf-8?q?a?= ".repeat(100_000)}\r\n\r\nbody`,
    /header is larger/,
  ],
  "8 MB of CR": [() => "\r".repeat(8_000_000), null],
  "8 MB of LF": [() => `Subject: a\n\n${"\n".repeat(8_000_000)}`, null],
  "8 MB of CR inside a multipart": [
    () => `Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\n${"\r".repeat(8_000_000)}`,
    null,
  ],
  "a boundary of 60 KB": [
    () =>
      `Content-Type: multipart/mixed; boundary="${"b".repeat(60_000)}"\r\n\r\n${`--${"b".repeat(50)}\r\n`.repeat(50_000)}`,
    null,
  ],
  "10,000 recipients": [() => `To: ${"a@b.example, ".repeat(10_000)}\r\n\r\nbody`, null],
  "100,000 nested groups and comments": [
    () => `To: ${"a:(".repeat(30_000)}\r\nFrom: ${"(".repeat(60_000)}\r\n\r\nbody`,
    null,
  ],
  "5,000 continued parameters": [
    () => `Content-Type: text/plain; ${Array.from({ length: 5_000 }, (_, i) => `name*${i}=a`).join("; ")}\r\n\r\nbody`,
    null,
  ],
  "8 MB of equals signs in quoted-printable": [
    () => `Content-Transfer-Encoding: quoted-printable\r\n\r\n${"=".repeat(8_000_000)}`,
    null,
  ],
  "8 MB of open tags": [() => `Content-Type: text/html\r\n\r\n${"<a ".repeat(2_600_000)}`, null],
  "a charset of 100 KB": [() => `Content-Type: text/plain; charset="${"x".repeat(7_000)}"\r\n\r\nbody`, null],
};

describe("a hostile message", () => {
  for (const [name, [message, problem]] of Object.entries(bombs)) {
    it(`of ${name} is parsed within a second`, () => {
      const raw = encode(message());
      const started = performance.now();
      const parsed = parseMessage(raw);
      expect(performance.now() - started).toBeLessThan(1_000);
      if (problem) expect(parsed.problem).toMatch(problem);
      else expect(parsed.problem).toBeNull();
      expect(parsed.parts.length).toBeLessThanOrEqual(1_000);
      expect(parsed.text.length).toBeLessThanOrEqual(262_144);
      expect(JSON.stringify({ ...parsed, fields: null, text: "" }).length).toBeLessThan(1_000_000);
    });
  }
});
