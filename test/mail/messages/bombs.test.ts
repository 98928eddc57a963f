import { describe, expect, it } from "vitest";
import { bombMessages } from "../../../bench/bomb-messages.ts";
import { parseMessage } from "../../../src/mail/messages/index.ts";

const SIZE = 8_000_000;
/** Most time for a hostile message, against an ordinary one of the same size. */
const MOST = 10;
const RUNS = 3;

/** An attachment in an ordinary message. */
const ordinary = new TextEncoder().encode(
  `Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\n${`${"QUJD".repeat(19)}\r\n`.repeat(SIZE / 78)}--x--\r\n`,
);

/** Returns the least time of parsing in ms: other processes only make a run slower. */
function timeOf(raw: Uint8Array): number {
  const times = Array.from({ length: RUNS }, () => {
    const started = performance.now();
    parseMessage(raw);
    return performance.now() - started;
  });
  return Math.min(...times);
}

describe("a hostile message", () => {
  for (const { name, make, problem } of bombMessages) {
    it(`of ${name} is parsed in ${MOST} times the time of an ordinary one, bounded and marked`, () => {
      const raw = make(SIZE);
      const parsed = parseMessage(raw);
      expect(timeOf(raw) / timeOf(ordinary)).toBeLessThan(MOST);
      if (problem) expect(parsed.problem).toMatch(problem);
      else expect(parsed.problem).toBeNull();
      expect(parsed.parts.length).toBeLessThanOrEqual(1_000);
      expect(parsed.text.length).toBeLessThanOrEqual(262_144);
      expect(JSON.stringify({ ...parsed, fields: null, text: "" }).length).toBeLessThan(1_000_000);
    });
  }
});

it("of a name that has many address fields, the addresses of the first two are read", () => {
  const field = (name: string) => `To: ${name}@example.org\r\n`;
  const raw = new TextEncoder().encode(`${["a", "b", "c", "d"].map(field).join("")}Cc: e@example.org\r\n\r\nbody`);
  const { to, cc } = parseMessage(raw);
  expect(to.map(({ email }) => email)).toEqual(["a@example.org", "b@example.org"]);
  expect(cc.map(({ email }) => email)).toEqual(["e@example.org"]);
});
