import { describe, it } from "vitest";
import { ExtractedContent, OversizedString, RefusedContent } from "../../../src/lib/json-extract/content.ts";
import { extractJson } from "../../../src/lib/json-extract/extract.ts";
import type { ExtractOptions } from "../../../src/lib/json-extract/options.ts";
import { CollectingSink, chunksOf, errorOf } from "../../lib/json-extract-support.ts";

const limits: ExtractOptions = { maxInlineText: 8, maxString: 12 };

async function extract(text: string, options: ExtractOptions, chunkSize: number) {
  const sink = new CollectingSink();
  const result = await extractJson(chunksOf(text, chunkSize), sink, { ...limits, ...options });
  return { skeleton: Object(result.skeleton), sink };
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const texts = ["123456789", "é漢😀é漢😀é漢", '"\\/\b\f\n\r\t"', "\ufeff12345678", "x".repeat(50), "😀".repeat(9)];

describe("a long html or text", () => {
  it("goes to the sink in UTF-8, wherever the chunks end and however it is escaped", async ({ expect }) => {
    for (const text of texts) {
      const units = text.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
      for (const literal of [JSON.stringify(text), `"${units.join("")}"`]) {
        const body = `{"html":${literal},"text":"short","x":1}`;
        for (let size = 1; size <= body.length; size++) {
          const { skeleton, sink } = await extract(body, {}, size);
          expect(skeleton.html, `${body} in ${size}`).toBeInstanceOf(ExtractedContent);
          expect(skeleton).toMatchObject({ html: { index: 0, path: ["html"], size: utf8(text).length }, x: 1 });
          expect(skeleton.text).toBe("short");
          expect(sink.contents).toEqual([utf8(text)]);
        }
      }
    }
  });

  it("stays in the body up to the limit, elsewhere, and when nothing is extracted", async ({ expect }) => {
    const body = '{"html":"12345678","x":{"html":"123456789"},"text":["123456789"],"y":"123456789"}';
    const { skeleton, sink } = await extract(body, {}, 7);
    expect(skeleton).toEqual(JSON.parse(body));
    expect(sink.contents).toEqual([]);
    const inline = await extract('{"html":"123456789"}', { extracts: false }, 7);
    expect(inline.skeleton).toEqual({ html: "123456789" });
  });

  it("with NUL or a lone surrogate is refused at its path, or is the error of its item", async ({ expect }) => {
    const errors = [
      "123456789\\u0000",
      "\\u00001234567890",
      "123456789\\ud800",
      "\\udc00123456789",
      "12345678\\ud83dx",
    ];
    for (const html of errors) {
      const item = `{"html":"${html}"}`;
      for (let size = 1; size <= item.length; size++) {
        const error = await errorOf(extract(item, {}, size));
        expect(error, `${item} in ${size}`).toMatchObject({ name: "TextInvalid", path: ["html"] });
        const { skeleton, sink } = await extract(`[${item},{"html":"123456789"}]`, { errors: "keep" }, size);
        expect(skeleton[0].html).toBeInstanceOf(RefusedContent);
        expect(skeleton[1].html).toBeInstanceOf(ExtractedContent);
        expect(sink.contents).toEqual([utf8("123456789")]);
      }
    }
  });
});

describe("a long string that is no content", () => {
  it("is replaced by its size, after it was checked", async ({ expect }) => {
    for (const body of ['{"a":"1234567890123","b":1}', '["1234567890123"]', '"1234567890123"']) {
      for (let size = 1; size <= body.length; size++) {
        const { skeleton } = await extract(body, {}, size);
        const value = skeleton instanceof OversizedString ? skeleton : Object.values(skeleton)[0];
        expect(value, `${body} in ${size}`).toEqual(new OversizedString(13, 12));
      }
    }
    expect(await errorOf(extract('{"a":"1234567890123\\u0000"}', {}, 5))).toMatchObject({ name: "TextInvalid" });
    expect(await errorOf(extract('{"a":"1234567890123\n"}', {}, 5))).toMatchObject({ name: "JsonInvalid" });
    expect(await errorOf(extract('{"a":"1234567890123', {}, 5))).toMatchObject({ name: "JsonInvalid" });
  });
});

describe("nesting beyond the limit in a list", () => {
  it("is replaced by its error, is not built, and must still be JSON", async ({ expect }) => {
    const options: ExtractOptions = { errors: "keep", maxDepth: 3 };
    const body = '[{"a":[[[1,{"b":"c"}],2]],"d":3},{"a":[]}]';
    for (let size = 1; size <= body.length; size++) {
      const { skeleton } = await extract(body, options, size);
      expect(skeleton[0].a[0]).toBeInstanceOf(RefusedContent);
      expect(skeleton[0].a[0]).toMatchObject({ path: [0, "a", 0], error: { name: "JsonTooDeep", limit: 3 } });
      expect(skeleton[0].d).toBe(3);
      expect(skeleton[1]).toEqual({ a: [] });
      for (const broken of ['[{"a":[[[1}]]]}]', '[{"a":[[{"b":]}]]}]', '[{"a":[[["b"']) {
        expect(await errorOf(extract(broken, options, size))).toMatchObject({ name: "JsonInvalid" });
      }
    }
    const many = `[{"a":${"[".repeat(100)}${"]".repeat(100)}}]`;
    expect(await errorOf(extract(many, { ...options, maxValues: 50 }, 9))).toMatchObject({ name: "BodyTooLarge" });
  });
});
