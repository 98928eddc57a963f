import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../../src/mail/messages/parse.ts";
import { bombMessages } from "../../../support/bomb-messages.ts";

const SIZE = 8_000_000;

describe("a hostile message", () => {
  for (const { name, make, problem } of bombMessages) {
    it(`of ${name} is parsed, bounded and marked`, () => {
      const parsed = parseMessage(make(SIZE));
      if (problem) expect(parsed.problem).toMatch(problem);
      else expect(parsed.problem).toBeNull();
      expect(parsed.parts.length).toBeLessThanOrEqual(1_000);
      expect(parsed.text.length).toBeLessThanOrEqual(262_144);
      expect(JSON.stringify({ ...parsed, fields: null, text: "" }).length).toBeLessThan(1_000_000);
    });
  }
});

it("of a name that has many address fields, the addresses of each are read", () => {
  const field = (name: string) => `To: ${name}@example.org\r\n`;
  const raw = new TextEncoder().encode(`${["a", "b", "c", "d"].map(field).join("")}Cc: e@example.org\r\n\r\nbody`);
  const { to, cc } = parseMessage(raw);
  expect(to.map(({ email }) => email)).toEqual(["a@example.org", "b@example.org", "c@example.org", "d@example.org"]);
  expect(cc.map(({ email }) => email)).toEqual(["e@example.org"]);
});

it("with 1,000 recipients in folded lines has all of them, and each Message-ID of a long thread", () => {
  const to = Array.from({ length: 1_000 }, (_, n) => `Ann <a${n}@department.example.org>`);
  const ids = Array.from({ length: 100 }, (_, n) => `<${n}.${"x".repeat(90)}@example.org>`);
  const raw = `To: ${to.join(",\r\n ")}\r\nReferences: ${ids.join("\r\n ")}\r\n\r\nbody`;
  const parsed = parseMessage(new TextEncoder().encode(raw));
  expect(parsed.to.at(-1)?.email).toBe("a999@department.example.org");
  expect(parsed.to).toHaveLength(1_000);
  expect(parsed.references).toEqual(ids);
});
