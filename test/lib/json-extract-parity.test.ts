import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, it } from "vitest";
import { ExtractedContent, RefusedContent } from "../../src/lib/json-extract/content.ts";
import { JsonInvalid } from "../../src/lib/json-extract/errors.ts";
import { extractJson } from "../../src/lib/json-extract/extract.ts";
import { byExtent } from "../support/extent.ts";
import { CollectingSink, chunksOf, hostileStrings, parseWithPlatform } from "./json-extract-support.ts";

const unit = fc.constantFrom("\\", '"', "/", "\ud83d", "\ude00", "\n", "\0", "\u2028", "é", "字", "😀", "a");
const text = fc.oneof(
  fc.constantFrom(...hostileStrings),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit, maxLength: 12 }),
  // Strings of 128 bytes and more are read in another way when they end in their chunk.
  fc.string({ unit, minLength: 60, maxLength: 150 }),
);
const key = fc.oneof(fc.constantFrom("__proto__", "constructor", "attachments", "content_base64", "0", ""), text);
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.constant(-0));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    text,
    number,
    fc.constantFrom(null, true, false),
    fc.array(tie("json"), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie("json")), { maxLength: 5 }).map(members),
  ),
}));
const base64 = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const content = fc.oneof({ weight: 4, arbitrary: base64 }, text, json);
const attachment = fc
  .tuple(fc.array(fc.tuple(key, json), { maxLength: 2 }), content)
  .map(([rest, value]) => members([...rest.filter(([name]) => name !== "content_base64"), ["content_base64", value]]));
const email = fc
  .tuple(fc.array(fc.tuple(key, json), { maxLength: 3 }), fc.array(fc.oneof(attachment, json), { maxLength: 3 }))
  .map(([rest, attachments]) =>
    members([...rest.filter(([name]) => name !== "attachments"), ["attachments", attachments]]),
  );
const body = fc.oneof(json, email, fc.array(fc.oneof(email, json), { maxLength: 3 }));
const seed = fc.integer({ min: 0, max: 0x7fffffff });

function members(entries: [string, unknown][]): object {
  const object = {};
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

/** Returns a generator of integers from 0 to `n` - 1, deterministic per seed (mulberry32). */
function random(from: number): (n: number) => number {
  let state = from;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

/** Serialises JSON with random white space, escapes and repeated keys. */
function write(value: unknown, draw: (n: number) => number): string {
  const gap = () => (draw(4) === 0 ? [" ", "\n", "\t\r", "   "][draw(4)] : "");
  const string = (s: string) =>
    `"${s
      .split("")
      .map((unit) => writeUnit(unit, draw))
      .join("")}"`;
  const inner = (item: unknown): string => {
    if (typeof item === "string") return gap() + string(item) + gap();
    if (typeof item === "number")
      return gap() + (draw(3) === 0 ? item.toExponential() : Object.is(item, -0) ? "-0" : String(item)) + gap();
    if (Array.isArray(item)) return `${gap()}[${item.length === 0 ? gap() : item.map(inner).join(",")}]${gap()}`;
    if (typeof item !== "object" || item === null) return gap() + String(item) + gap();
    const parts = Object.entries(item).map(([name, member]) => `${gap()}${string(name)}${gap()}:${inner(member)}`);
    const again = Object.keys(item).find((name) => name !== "content_base64" && name !== "attachments");
    if (again !== undefined && draw(8) === 0) parts.unshift(`${string(again)}:[{}]`);
    return `${gap()}{${parts.length === 0 ? gap() : parts.join(",")}}${gap()}`;
  };
  return (draw(10) === 0 ? "\ufeff" : "") + inner(value);
}

function writeUnit(unit: string, draw: (n: number) => number): string {
  const hex = `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  if (draw(30) === 0) return draw(2) === 0 ? hex : hex.toUpperCase().replace("U", "u");
  if (unit === "/") return draw(2) === 0 ? "\\/" : "/";
  // `write` splits surrogate pairs, and a lone surrogate has no UTF-8 form, so every surrogate is escaped.
  if (unit >= "\ud800" && unit <= "\udfff") return hex;
  return JSON.stringify(unit).slice(1, -1);
}

/** Generates chunk sizes: mostly one byte, mostly a few, or large. */
function sizes(draw: (n: number) => number): () => number {
  const largest = [1, 3, 8, 64, 5_000][draw(5)] ?? 1;
  return () => 1 + draw(largest);
}

/** Returns the value with each content read back from the sink. Fails when a valid content was refused. */
function restored(value: unknown, sink: CollectingSink, original: unknown): unknown {
  if (value instanceof ExtractedContent) {
    const bytes = sink.byIndex.get(value.index);
    if (bytes?.length !== value.size) throw new Error("size is not what the sink saw");
    return Buffer.from(bytes).toString("base64");
  }
  if (value instanceof RefusedContent) {
    if (typeof original !== "string" || isBase64(original)) throw new Error(`refused ${JSON.stringify(original)}`);
    return original;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, i) => restored(item, sink, Array.isArray(original) && original[i]));
  const own = new Map(Object.entries(Object(original)));
  return members(Object.entries(value).map(([name, member]) => [name, restored(member, sink, own.get(name))]));
}

function isBase64(s: string): boolean {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(s) && Buffer.from(s, "base64").toString("base64") === s;
}

/** Compares own keys in order, `__proto__` included, and the sign of zero. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const left = Object.entries(a);
  const right = Object.entries(b);
  return left.length === right.length && left.every(([k, v], i) => right[i]?.[0] === k && isSame(v, right[i]?.[1]));
}

/** Number of contents extracted by all runs. */
let found = 0;

/** Parses with both parsers and returns whether the body was accepted. Throws when they differ. */
async function compare(bytes: Uint8Array, draw: (n: number) => number): Promise<boolean> {
  const expected = parseWithPlatform(bytes);
  const sink = new CollectingSink();
  try {
    const { skeleton, contents } = await extractJson(chunksOf(bytes, sizes(draw)), sink, { errors: "keep" });
    if (expected === null) throw new Error("accepted what JSON.parse refuses");
    found += contents.length;
    if (contents.length !== sink.byIndex.size) throw new Error("contents are not those the sink closed");
    if (!isSame(restored(skeleton, sink, expected.value), expected.value)) throw new Error("another value");
    return true;
  } catch (error) {
    if (!(error instanceof JsonInvalid)) throw error;
    if (expected !== null && !error.message.includes("duplicate")) throw error;
    return false;
  }
}

function mutate(bytes: Uint8Array, draw: (n: number) => number): Uint8Array {
  const list = Array.from(bytes);
  for (let i = draw(3); i >= 0; i--) {
    const at = draw(list.length + 1);
    const byte = draw(3) === 0 ? draw(256) : '{}[]",:\\/u0123-+.eE tfn=A\n'.charCodeAt(draw(26));
    if (draw(8) === 0) list.length = at;
    else if (draw(3) === 0) list.splice(at, 0, byte);
    else if (draw(2) === 0) list.splice(at, 1 + draw(3));
    else if (at < list.length) list[at] = draw(2) === 0 ? byte : (list[at] ?? 0) ^ (1 << draw(8));
  }
  return Uint8Array.from(list);
}

/** Returns the value of a body without contents, or the error. */
async function parse(bytes: Uint8Array, size: number) {
  return extractJson(chunksOf(bytes, size), new CollectingSink()).catch((error) => error);
}

describe("every malformed or unusual text is accepted or refused as by JSON.parse", () => {
  const texts = [
    ..."{ } [ ] , : \" - + . 0 1e t tru nul falsey truefalse NaN Infinity undefined 'a' \\ /*1*/ // # 0x1 .5 1. 01 -01 -".split(
      " ",
    ),
    ..."-0 0e0 1E+2 1e-2 1e 1e+ 1.e1 1.5e3.2 1-1 --1 +1 1_0 1e400 -1e400 123456789012345678901234567890 0.1e-400 2.".split(
      " ",
    ),
    ..."[1,] [,1] [1,,2] [1 2] [} {] [1}".split(/ (?=\[|\{)/),
    ...[
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      "{,}",
      '{"a":1 "b":2}',
      "{a:1}",
      "{1:1}",
      '{"a"::1}',
      '{"a":1}}',
      '{"a":1}{',
      "[]]",
      "[1]x",
    ],
    ...[
      '"\\x"',
      '"\\u12"',
      '"\\u12g4"',
      '"\\u"',
      '"\\',
      '"a',
      '"\n"',
      '"\t"',
      '"\u0000"',
      '"\u007f"',
      '"\\u0000"',
      '"\\ud800"',
      '"\\udc00\\ud800"',
    ],
    ...[
      '"\\ud83d\\ude00"',
      '"\\ud83d😀"',
      '"\u2028\u2029"',
      '"\\""',
      '"\\\\"',
      '"\\b\\f\\n\\r\\t\\/"',
      '"\\U0041"',
      '"\\é"',
      '""',
    ],
    ...[
      "",
      " ",
      "\ufeff",
      "\ufeff1",
      "\ufeff\ufeff1",
      " \ufeff1",
      "\u00a01",
      "1\u00a0",
      "\v1",
      "\f1",
      "\u20281",
      "null ",
      " \t\r\n[ ] ",
      "1 2",
    ],
    ...[
      '{"__proto__":{"a":1}}',
      '{"a":1,"a":2}',
      '{"constructor":1,"toString":2,"hasOwnProperty":3}',
      '{"":1,"\\u0000":2}',
      '{"2":1,"1":2}',
    ],
  ];
  it.for(texts)("%j", async (text, { expect }) => {
    const bytes = new TextEncoder().encode(text);
    const expected = parseWithPlatform(bytes);
    for (const size of [1, 2, 3, 1_000]) {
      const result = await parse(bytes, size);
      if (expected === null) expect(result).toBeInstanceOf(JsonInvalid);
      else expect(JSON.stringify(result.skeleton)).toBe(JSON.stringify(expected.value));
    }
  });

  it.for([
    ["a lone continuation byte", [0x22, 0x80, 0x22]],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["beyond Unicode", [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ["a cut sequence", [0x22, 0xe2, 0x82, 0x22]],
    ["a cut sequence before an escape", [0x22, 0xe2, 0x82, 0x5c, 0x6e, 0x22]],
    ["an impossible byte", [0x22, 0xff, 0x22]],
    ["UTF-16", [0xff, 0xfe, 0x31, 0x00]],
    ["half a byte order mark", [0xef, 0xbb]],
    ["half a byte order mark and a value", [0xef, 0xbb, 0x31]],
  ] as const)("invalid UTF-8: %s", async ([, codes], { expect }) => {
    for (const size of [1, 2, 1_000]) {
      expect(await parse(Uint8Array.from(codes), size)).toBeInstanceOf(JsonInvalid);
    }
  });
});

/** A failing run prints the seed and path of fast-check, which reproduce it. */
const numRuns = byExtent({ quick: 300, full: 1_000, long: 10_000 });
const timeout = env.TEST_LONG ? 600_000 : 60_000;

describe("for any body in chunks of any size", () => {
  it("a valid body gives the value of JSON.parse, with contents restored", { timeout }, async ({ expect }) => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(body, seed, async (value, from) => {
        const draw = random(from);
        if (await compare(new TextEncoder().encode(write(value, draw)), draw)) accepted++;
      }),
      { numRuns },
    );
    expect(accepted).toBeGreaterThanOrEqual(numRuns);
    // Seen: 270 to 330 of 1,000.
    expect(found).toBeGreaterThan(numRuns / 10);
  });

  it("a mutated body is refused exactly when JSON.parse refuses it", { timeout }, async ({ expect }) => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(body, seed, async (value, from) => {
        const draw = random(from);
        if (await compare(mutate(new TextEncoder().encode(write(value, draw)), draw), draw)) accepted++;
      }),
      { numRuns },
    );
    // Seen: 150 to 200 of 1,000.
    expect(accepted).toBeGreaterThan(numRuns / 20);
    expect(accepted).toBeLessThan(numRuns / 2);
  });

  it("large contents are byte-identical, with escaped and plain slashes", { timeout }, async () => {
    const draws = fc.tuple(seed, fc.integer({ min: 0, max: 200_000 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(draws, async ([from, length, isPhp]) => {
        const draw = random(from);
        const bytes = Uint8Array.from({ length }, () => draw(256));
        const plain = JSON.stringify({ attachments: [{ content_base64: Buffer.from(bytes).toString("base64") }] });
        const sink = new CollectingSink();
        const cuts = () => 1 + draw(100_000);
        await extractJson(chunksOf(isPhp ? plain.replaceAll("/", "\\/") : plain, cuts), sink);
        if (Buffer.compare(sink.contents[0] ?? new Uint8Array(1), bytes) !== 0) throw new Error("other bytes");
      }),
      { numRuns: numRuns / 10 },
    );
  });
});
