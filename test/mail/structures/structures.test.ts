import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MessageParser, parseMessage } from "../../../src/mail/messages/parse.ts";
import { findPart } from "../../../src/mail/structures/find-part.ts";
import { renderBody, renderEnvelope } from "../../../src/mail/structures/render.ts";
import type { PartNode } from "../../../src/mail/structures/types.ts";
import { byExtent } from "../../support/extent.ts";
import { corpus, toStored } from "./corpus.ts";
import answers from "./dovecot.json" with { type: "json" };

const structureOf = (raw: Uint8Array) => parseMessage(raw).structure;

/** Returns a response with literals as quoted strings and in one letter case: types and names of parameters have none. */
function comparable(text = ""): string {
  let result = "";
  let at = 0;
  for (const match of text.matchAll(/\{(\d+)\}\r\n/g)) {
    const from = match.index + match[0].length;
    const literal = text.slice(from, from + Number(match[1]));
    result += `${text.slice(at, match.index)}"${literal.replace(/["\\]/g, "\\$&")}"`;
    at = from + literal.length;
  }
  return (result + text.slice(at)).toLowerCase();
}

describe("the envelope and the structure of a message", () => {
  it.each(corpus.map((text, index) => [index, text] as const))(
    "are those that Dovecot finds, of message %i",
    (index, text) => {
      const { envelope, root } = structureOf(toStored(text));
      const expected = answers[index];
      expect(comparable(renderEnvelope(envelope))).toBe(comparable(expected?.ENVELOPE));
      expect(comparable(renderBody(root, false))).toBe(comparable(expected?.BODY));
      expect(comparable(renderBody(root, true))).toBe(comparable(expected?.BODYSTRUCTURE));
    },
  );
});

it("ends a group of which not all addresses are shown (RFC 3501 7.4.2)", () => {
  const group = `A: ${Array.from({ length: 600 }, (_, index) => `a${index}@x.test`).join(", ")};, last@x.test`;
  const { to } = structureOf(new TextEncoder().encode(`To: ${group}\r\n\r\ntext\r\n`)).envelope;
  expect([to.length, to[0], to.at(-1)]).toEqual([502, [null, "A", null], [null, null, null]]);
});

describe("a message in a message", () => {
  it("has an envelope and a body where its parts are not read, because it is too deep or encoded (RFC 3501 7.4.2)", () => {
    const within = "Content-Type: message/rfc822\r\n\r\n".repeat(6);
    const encoded = "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\nQUJD\r\n";
    for (const [text, messages, encoding] of [
      [`${within}Subject: x\r\n\r\ntext\r\n`, 4, "7bit"],
      [encoded, 1, "base64"],
    ] as const) {
      const body = renderBody(structureOf(new TextEncoder().encode(text)).root, true);
      expect(body.split('"message" "rfc822"').length - 1).toBe(messages);
      expect(body.split(`(${"NIL ".repeat(9)}NIL) `).length - 1).toBe(messages);
      expect(body).toContain(`("text" "plain" ("charset" "us-ascii") NIL NIL "${encoding}"`);
    }
  });
});

/** Returns all parts of a message, those of messages in it too. */
function partsIn(node: PartNode): PartNode[] {
  return [node, ...(node.parts ?? []).flatMap(partsIn), ...(node.message ? partsIn(node.message.root) : [])];
}

describe("a part", () => {
  const raw = toStored(corpus[9] ?? "");
  const textOf = (path: number[], pick: (part: PartNode) => [number, number | undefined]) => {
    const part = findPart(structureOf(raw), path);
    if (!part) return null;
    return new TextDecoder().decode(raw.subarray(...pick(part)));
  };

  it("is found by its numbers, in a message within the message too", () => {
    expect(textOf([1], ({ body, end }) => [body, end])).toBe("see below");
    expect(textOf([2], ({ header, body }) => [header, body])).toContain("filename=fwd.eml\r\n\r\n");
    expect(textOf([2], ({ body, message }) => [body, message?.headerEnd])).toMatch(
      /^From: Carl[\s\S]*boundary=g\r\n\r\n$/,
    );
    expect(textOf([2, 1], ({ body, end }) => [body, end])).toBe("text");
    expect(textOf([2, 2], ({ body, end }) => [body, end])).toBe("-a\r\n+b");
  });

  it.each([[3], [1, 1], [2, 3], [2, 1, 1], [0]])("that does not exist is not found: %j", (...path: number[]) => {
    expect(findPart(structureOf(raw), path.flat())).toBeNull();
  });
});

describe("a structure", () => {
  const line = fc.constantFrom(
    ...[
      "Content-Type: multipart/mixed; boundary=a",
      "Content-Type: multipart/digest; boundary=b",
      "--a",
      "--b",
      "--a--",
    ],
    ...[
      "--b--",
      "Content-Type: message/rfc822",
      "",
      "",
      "text",
      "Subject: x",
      'From: "a\\" <b@c>, d:;',
      "Content-Type: x",
    ],
    ...[
      "Content-Type: text/plain; a=b; c",
      "Content-Transfer-Encoding: base64",
      "Content-Disposition: a; b=\u00fc",
      "\0",
    ],
  );
  const message = fc.array(line, { maxLength: 40 }).map((lines) => toStored(lines.join("\n")));

  it("is the same however the message arrives, has its parts within it, and is written in one line beside literals", () => {
    fc.assert(
      fc.property(message, fc.integer({ min: 1, max: 50 }), (raw, step) => {
        const structure = structureOf(raw);
        const parser = new MessageParser();
        for (let at = 0; at < raw.length; at += step) parser.push(raw.subarray(at, at + step));
        expect(parser.end().structure).toEqual(structure);
        for (const { header, body, end } of partsIn(structure.root)) {
          expect([header, body, end].every((place) => place >= 0 && place <= raw.length)).toBe(true);
          expect(header <= body && body <= end).toBe(true);
        }
        const text = comparable(`${renderEnvelope(structure.envelope)} ${renderBody(structure.root, true)}`);
        const unquoted = text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, "s");
        expect(unquoted).toMatch(/^[()a-z0-9 ]*$/);
        expect(unquoted.split("(").length).toBe(unquoted.split(")").length);
      }),
      { numRuns: byExtent({ quick: 500, full: 5_000, long: 50_000 }) },
    );
  });

  it("is small whatever the message is", () => {
    const header = `Content-Type: text/plain; ${"a=bbbbbbbb; ".repeat(600)}\nContent-Description: ${"x".repeat(7_000)}\n\ny\n`;
    const parts = `--m\n${header}`.repeat(2_000);
    const { root } = structureOf(toStored(`Content-Type: multipart/mixed; boundary=m\n\n${parts}--m--\n`));
    expect(root.parts).toHaveLength(999);
    expect(JSON.stringify(root).length).toBeLessThan(600_000);
  });

  it("follows messages within messages three levels down", () => {
    let text = "Subject: innermost\n\nx";
    for (let depth = 0; depth < 6; depth += 1) text = `Content-Type: message/rfc822\n\n${text}`;
    let [node, depth] = [structureOf(toStored(text)).root as PartNode | undefined, 0];
    for (; node?.message; depth += 1) node = node.message.root;
    expect([depth, node?.type]).toEqual([3, "message/rfc822"]);
  });
});
