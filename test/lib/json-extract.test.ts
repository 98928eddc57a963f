import { describe, it } from "vitest";
import { decodeBase64 } from "../../src/lib/bytes.ts";
import { WRITE_BYTES } from "../../src/lib/json-extract/base64-text.ts";
import { ExtractedContent, RefusedContent } from "../../src/lib/json-extract/content.ts";
import {
  AttachmentTooLarge,
  Base64Invalid,
  BodyTooLarge,
  JsonInvalid,
  JsonTooDeep,
} from "../../src/lib/json-extract/errors.ts";
import { type ContentSink, extractJson } from "../../src/lib/json-extract/extract.ts";
import type { ExtractOptions } from "../../src/lib/json-extract/options.ts";
import { readChunks } from "../../src/lib/read-chunks.ts";
import { CollectingSink, CountingSource, chunksOf, errorOf } from "./json-extract-support.ts";

const MIB = 1024 * 1024;
/** Milliseconds, for tens of megabytes on a busy machine. */
const timeout = 60_000;

/** A body of 24 MiB of content, in parts. */
const text = (part: string) => new TextEncoder().encode(part);
const head = text('{"attachments":[{"content_base64":"');
const full = Array<Uint8Array>(512).fill(text("AAAA".repeat(16_384)));
const tail = text('"}]}');
const ignoring: ContentSink = { open: () => ({ write() {}, close() {}, abort() {} }) };

async function* from(parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

const failing = (parts: Uint8Array[]) => errorOf(extractJson(from(parts), ignoring));

function email(...contents: string[]): string {
  return JSON.stringify({ attachments: contents.map((content_base64) => ({ content_base64 })) });
}

async function extract(text: string | Uint8Array, options?: ExtractOptions, chunkSize = 1_000) {
  const sink = new CollectingSink();
  const result = await extractJson(chunksOf(text, chunkSize), sink, options);
  return { ...result, sink };
}

const failure = (text: string | Uint8Array, options?: ExtractOptions, chunkSize?: number) =>
  errorOf(extract(text, options, chunkSize));

describe("base64", () => {
  it.for([
    ["", ""],
    ["Zg==", "f"],
    ["Zm8=", "fo"],
    ["Zm9v", "foo"],
    ["Zm9vYg==", "foob"],
    ["+/+/", "\u00fb\u00ff\u00bf"],
  ])("%j is content", async ([text = "", content = ""], { expect }) => {
    const bytes = Uint8Array.from(content, (c) => c.charCodeAt(0));
    expect(decodeBase64(text)).toEqual(bytes);
    for (const size of [1, 2, 3, 1_000]) {
      const { sink } = await extract(email(text), {}, size);
      expect(sink.contents).toEqual([bytes]);
    }
  });

  it.for([
    ["unpadded", "Zg"],
    ["unpadded", "Zm8"],
    ["one character over", "Zm9vY"],
    ["too much padding", "Zm9v===="],
    ["padding first", "===="],
    ["padding after one character", "Z==="],
    ["padding after one character of no bits", "A==="],
    ["half the padding", "Zg="],
    ["text after padding", "Zg==Zg=="],
    ["a whole group after padding", "Zg==Zm9v"],
    ["text within padding", "Zg=g"],
    ["bits left over", "Zh=="],
    ["bits left over", "Zm9="],
    ["URL-safe", "-_-_"],
    ["a data: URL", "data:text/plain;base64,Zm9v"],
    ["a space", "Zm9v Zm9v"],
    ["line breaks", "Zm9v\r\nZm9v"],
    ["a line break at the end", "Zm9v\n"],
    ["white space only", " "],
    ["NUL", "Zm9\0"],
    ["beyond ASCII", "Zm9é"],
    ["beyond Latin-1, alike in its low byte", "Zm9\u0141"],
    ["a surrogate pair", "Zm😀"],
    ["words", "not base64!!"],
    ["text after padding at the end of a write", `${"A".repeat(65_534)}==Zm9v`],
    ["padding after padding at the end of a write", `${"A".repeat(65_535)}====`],
  ])("with %s is refused, whole or streamed", async ([, text = ""], { expect }) => {
    expect(decodeBase64(text)).toBeNull();
    for (const size of [1, 3, 1_000]) {
      const error = await failure(email("Zm9v", text), {}, size);
      expect(error).toBeInstanceOf(Base64Invalid);
      expect(error).toMatchObject({ path: ["attachments", 1, "content_base64"] });
    }
  });

  it("may use JSON escapes for any of its characters", async ({ expect }) => {
    const text = '{"attachments":[{"content_base64":"\\u005am9v\\/\\u002B+\\u002f\\u002B\\/8\\u003d"}]}';
    const content = decodeBase64("Zm9v/++/+/8=");
    expect(content).not.toBeNull();
    for (let size = 1; size < text.length; size++) {
      expect((await extract(text, {}, size)).sink.contents, `chunks of ${size}`).toEqual([content]);
    }
  });
});

describe("a content", () => {
  it("is replaced by an object that JSON cannot produce", async ({ expect }) => {
    const forged = { index: 0, path: ["attachments", 0, "content_base64"], size: 3, $extracted: 0 };
    const text = JSON.stringify({
      attachments: [{ filename: "f", content_base64: "Zm9v" }, { content_base64: forged }, { content_base64: null }],
    });
    const { skeleton, contents } = await extract(text);
    const found = Object(skeleton).attachments;
    expect(found[0]).toEqual({ filename: "f", content_base64: contents[0] });
    expect(found[0].content_base64).toBeInstanceOf(ExtractedContent);
    expect(found[0].content_base64).toEqual({ index: 0, path: ["attachments", 0, "content_base64"], size: 3 });
    expect(found[1].content_base64).not.toBeInstanceOf(ExtractedContent);
    expect(found[1].content_base64).toEqual(forged);
    expect(found[2].content_base64).toBeNull();
  });

  it("is extracted from every item of a batch, with the index of the item first in its path", async ({ expect }) => {
    const { contents, sink } = await extract(`[${email("Zm9v", "")},7,${email("Zg==")}]`);
    expect(contents.map((content) => content.path)).toEqual([
      [0, "attachments", 0, "content_base64"],
      [0, "attachments", 1, "content_base64"],
      [2, "attachments", 0, "content_base64"],
    ]);
    expect(sink.contents.map((content) => content.length)).toEqual([3, 0, 1]);
  });

  it.for([
    '{"content_base64":"Zm9v"}',
    '[{"content_base64":"Zm9v"}]',
    '{"attachments":{"content_base64":"Zm9v"}}',
    '{"attachments":[[{"content_base64":"Zm9v"}]]}',
    '{"attachments":[{"x":{"content_base64":"Zm9v"}}]}',
    '{"attachments":[{"content_base64":["Zm9v"]}]}',
    '{"attachments":[{"Content_base64":"Zm9v"}]}',
    '{"Attachments":[{"content_base64":"Zm9v"}]}',
    '{"x":{"attachments":[{"content_base64":"Zm9v"}]}}',
    '[[{"attachments":[{"content_base64":"Zm9v"}]}]]',
    '{"attachments":"content_base64"}',
  ])("is not extracted from another place: %s", async (text, { expect }) => {
    const { skeleton, contents } = await extract(text);
    expect(contents).toEqual([]);
    expect(skeleton).toEqual(JSON.parse(text));
  });

  it("is extracted under an escaped key", async ({ expect }) => {
    const { contents } = await extract('{"\\u0061ttachments":[{"content\\u005Fbase64":"Zm9v"}]}');
    expect(contents.length).toBe(1);
  });

  it.for([
    '{"attachments":[{"content_base64":"Zm9v","content_base64":"Zm9v"}]}',
    '{"attachments":[{"content_base64":"Zm9v","content\\u005fbase64":null}]}',
    '{"attachments":[{"content_base64":"Zm9v"}],"attachments":[]}',
    '[{"attachments":[{"content_base64":"Zm9v"}],"attachments":null}]',
  ])("cannot be replaced by a later key: %s", async (text, { expect }) => {
    const error = await failure(text);
    expect(error).toBeInstanceOf(JsonInvalid);
    expect(String(error)).toContain("duplicate");
  });

  it("may follow a value of the same key that is not a content", async ({ expect }) => {
    const { contents } = await extract(
      '{"attachments":[1],"attachments":[{"content_base64":1,"content_base64":"Zm9v"}]}',
    );
    expect(contents.length).toBe(1);
  });
});

describe("malformed JSON", () => {
  it("includes every control character in a content", async ({ expect }) => {
    for (let code = 0; code < 0x20; code++) {
      const text = `{"attachments":[{"content_base64":"Zm9v${String.fromCharCode(code)}"}]}`;
      expect(await failure(text)).toBeInstanceOf(JsonInvalid);
    }
  });

  it("reports the offset of the error", async ({ expect }) => {
    expect(await failure('{"a":1,\n  b}', {}, 1)).toMatchObject({ offset: 10 });
    expect(await failure('{"a":1,\n  b}')).toMatchObject({ offset: 10 });
    expect(await failure('{"a":[1')).toMatchObject({ offset: 7 });
    expect(await failure('{"attachments":[{"content_base64":"Zm9v\n"}]}')).toMatchObject({ offset: 39 });
  });
});

describe("a limit is exact", () => {
  it("of the body and of the skeleton", async ({ expect }) => {
    const text = email("Zm9v".repeat(500));
    await extract(text, { maxBody: text.length });
    expect(await failure(text, { maxBody: text.length - 1 })).toEqual(new BodyTooLarge("body", text.length - 1));
    const held = text.length - 2_000 - 1;
    await extract(text, { maxSkeleton: held });
    expect(await failure(text, { maxSkeleton: held - 1 })).toEqual(new BodyTooLarge("skeleton", held - 1));
  });

  it("of the depth", async ({ expect }) => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    await extract(nested(32));
    expect(await failure(nested(33))).toEqual(new JsonTooDeep(32));
    await extract('{"a":[1]}', { maxDepth: 2 });
    expect(await failure('{"a":[{}]}', { maxDepth: 2 })).toEqual(new JsonTooDeep(2));
  });

  it("of the number of values", async ({ expect }) => {
    await extract("[1,{},[null]]", { maxValues: 5 });
    expect(await failure("[1,{},[null]]", { maxValues: 4 })).toEqual(new BodyTooLarge("values", 4));
  });

  it("of one attachment and of all together, in decoded bytes", async ({ expect }) => {
    const path = ["attachments", 1, "content_base64"];
    const text = email("Zm9v", "Zm9vYg==");
    for (const size of [1, 7, 1_000]) {
      await extract(text, { maxContent: 4, maxCombined: 7 }, size);
      expect(await failure(text, { maxContent: 3 }, size)).toEqual(new AttachmentTooLarge(path, 3, false));
      expect(await failure(text, { maxCombined: 6 }, size)).toEqual(new AttachmentTooLarge(path, 6, true));
    }
    await extract(`[${email("Zm9v")},${email("Zm9v")}]`, { maxCombined: 3 });
  });

  it("by default: 24 MiB of content", { timeout }, async ({ expect }) => {
    expect((await extractJson(from([head, ...full, tail]), ignoring)).contents[0]?.size).toBe(24 * MIB);
    expect(await failing([head, ...full, text("AA==")])).toMatchObject({ limit: 24 * MIB, isCombined: false });
    const second = text('AA=="},{"content_base64":"');
    expect(await failing([head, second, ...full, tail])).toMatchObject({ limit: 24 * MIB, isCombined: true });
  });

  it("by default: 250,000 values and 32 levels", { timeout }, async ({ expect }) => {
    const values = (count: number) => [text(`[${"0,".repeat(count - 2)}0]`)];
    await extractJson(from(values(250_000)), ignoring);
    expect(await failing(values(250_001))).toEqual(new BodyTooLarge("values", 250_000));
    expect(await failing([text("[".repeat(33))])).toEqual(new JsonTooDeep(32));
  });

  it("by default: 40 MB of body", { timeout }, async ({ expect }) => {
    const room = 40_000_000 - head.length - 24 * MIB * (4 / 3) - tail.length;
    const items = [head, ...full, text(`"}],"x":"${"a".repeat(room - 7)}`)];
    await extractJson(from([...items, text('"}')]), ignoring);
    expect(await failing([...items, text('a"}')])).toEqual(new BodyTooLarge("body", 40_000_000));
  });
});

describe("in a batch with errors: keep", () => {
  it("an invalid content is an error of its item only", async ({ expect }) => {
    const bad = [email("Zm9v", 'no, not base64 \\ " é'), email("Zm9vZm9v"), email("Zm8")];
    for (const size of [1, 5, 1_000]) {
      const options: ExtractOptions = { errors: "keep", maxContent: 4 };
      const { skeleton, sink } = await extract(`[${bad.join()},${email("Zg==")}]`, options, size);
      const found = Object(skeleton).map((item: { attachments: object[] }) => item.attachments.flatMap(Object.values));
      expect(found[0][0]).toBeInstanceOf(ExtractedContent);
      expect(found[0][1]).toEqual(new RefusedContent([0, "attachments", 1, "content_base64"], found[0][1].error));
      expect(found[0][1].error).toBeInstanceOf(Base64Invalid);
      expect(found[1][0].error).toBeInstanceOf(AttachmentTooLarge);
      expect(found[2][0].error).toBeInstanceOf(Base64Invalid);
      expect(found[3][0]).toBeInstanceOf(ExtractedContent);
      expect(sink.log.filter((entry) => entry === "abort").length).toBe(3);
      expect(sink.contents.map((content) => content.length)).toEqual([3, 1]);
    }
  });

  it("a refused content cannot be replaced by a later key", async ({ expect }) => {
    const text = '[{"attachments":[{"content_base64":"?","content_base64":"Zm9v"}]}]';
    expect(await failure(text, { errors: "keep" })).toBeInstanceOf(JsonInvalid);
  });

  it("the rest of an invalid content must be valid JSON and is not buffered", async ({ expect }) => {
    const bad = `[{"attachments":[{"content_base64":"?${"a".repeat(5_000)}"}]}]`;
    await extract(bad, { errors: "keep", maxSkeleton: 100 });
    const broken = bad.replace("aaa", "a\\qa");
    expect(await failure(broken, { errors: "keep" })).toBeInstanceOf(JsonInvalid);
  });
});

describe("the sink", () => {
  it("receives writes of 48 KiB in separate buffers, and the rest", async ({ expect }) => {
    const content = Uint8Array.from({ length: 3 * WRITE_BYTES + 100 }, (_, i) => i % 251);
    const { sink } = await extract(email(Buffer.from(content).toString("base64")));
    expect(sink.sizes).toEqual([WRITE_BYTES, WRITE_BYTES, WRITE_BYTES, 100]);
    expect(Buffer.compare(sink.contents[0] ?? text(""), content)).toBe(0);
    expect(sink.log).toEqual(["open", "write", "write", "write", "write", "close"]);
  });

  it.for(["open", "write", "close"])(
    "that fails in %s stops the parse, and its error comes out",
    async (call, { expect }) => {
      const sink = new CollectingSink(call);
      const source = new CountingSource(email("Zm9v".repeat(20_000), "Zm9v"));
      expect(await errorOf(extractJson(source.chunks(), sink))).toBe(sink.error);
      expect(sink.log.at(-1)).toBe(call === "write" ? "abort" : call);
      expect(sink.log.filter((entry) => entry === "open").length).toBe(1);
      expect(source.isCancelled).toBe(true);
    },
  );

  it.for([
    ["malformed JSON", '{"attachments":[{"content_base64":"Zm9v\u0001"}]}', JsonInvalid],
    ["a cut body", '{"attachments":[{"content_base64":"Zm9v', JsonInvalid],
    ["bad base64", email("Zm9v?"), Base64Invalid],
  ] as const)("is told to abort by %s, once", async ([, text, kind], { expect }) => {
    const sink = new CollectingSink();
    const error = await errorOf(extractJson(chunksOf(text, 3), sink));
    expect(error).toBeInstanceOf(kind);
    expect(sink.log).toEqual(["open", "abort"]);
    expect(sink.reason).toBe(error);
  });

  it("is aborted when the source fails, and a failing abort does not hide the error", async ({ expect }) => {
    const lost = new Error("connection lost");
    async function* source() {
      yield text(email("Zm9v").slice(0, -4));
      throw lost;
    }
    const sink = new CollectingSink("abort");
    expect(await errorOf(extractJson(source(), sink))).toBe(lost);
    expect(sink.log).toEqual(["open", "abort"]);
  });

  it("stops reading the source while it writes", async ({ expect }) => {
    const source = new CountingSource(email("Zm9v".repeat(60_000)));
    const pullsAtWrite: number[][] = [];
    const writer = {
      async write() {
        const before = source.pulled;
        for (let i = 0; i < 100; i++) await Promise.resolve();
        pullsAtWrite.push([before, source.pulled]);
      },
      close() {},
      abort() {},
    };
    await extractJson(source.chunks(), { open: () => writer });
    expect(pullsAtWrite.length).toBeGreaterThan(3);
    for (const [before, after] of pullsAtWrite) expect(after).toBe(before);
  });

  it("takes a ReadableStream as the source, and cancels it on an error", async ({ expect }) => {
    const { body } = new Response(email("Zm9v"));
    if (body === null) throw new Error("no body");
    const sink = new CollectingSink();
    await extractJson(body, sink);
    expect(sink.contents.length).toBe(1);
    let reason: unknown = "none";
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(text("?")),
      cancel: (why) => {
        reason = why;
      },
    });
    expect(await errorOf(extractJson(stream, sink))).toBeInstanceOf(JsonInvalid);
    expect(reason).not.toBe("none");
  });
});

describe("a request body in large chunks", () => {
  it("arrives complete", async ({ expect }) => {
    const content = Uint8Array.from({ length: 500_000 }, (_, i) => (i * 7) % 253);
    const { body } = new Response(email(Buffer.from(content).toString("base64"), "Zm9v"));
    if (body === null) throw new Error("no body");
    const sink = new CollectingSink();
    await extractJson(readChunks(body), sink);
    expect(sink.contents.map((bytes) => bytes.length)).toEqual([500_000, 3]);
    expect(Buffer.compare(sink.contents[0] ?? text(""), content)).toBe(0);
  });

  it("is cancelled when the parse stops", async ({ expect }) => {
    const calls: string[] = [];
    const stream = new ReadableStream({
      type: "bytes",
      pull: (controller) => controller.enqueue(text("?".repeat(16_384))),
      cancel: (why) => {
        calls.push(why);
      },
    });
    expect(await errorOf(extractJson(readChunks(stream), new CollectingSink()))).toBeInstanceOf(JsonInvalid);
    expect(calls).toEqual(["not read to its end"]);
  });

  it("that ends with an error throws the error of the stream", async ({ expect }) => {
    const lost = new Error("connection lost");
    const stream = new ReadableStream({ type: "bytes", pull: (controller) => controller.error(lost) });
    expect(await errorOf(extractJson(readChunks(stream), new CollectingSink()))).toBe(lost);
  });
});
