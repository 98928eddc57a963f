import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBinaryString, utf8 } from "../../../../src/lib/bytes.ts";
import { overwriteContents, overwriting, type Patch } from "../../../../src/sending/emails/erasure/erase-content.ts";
import { Scrubber } from "../../../../src/sending/emails/erasure/scrub.ts";
import { byExtent } from "../../../support/extent.ts";
import { testContext } from "../../../support/workspace.ts";

/** Bytes of the content that no run may hold whole. */
const SIZE = byExtent({ quick: 8, full: 40, long: 40 }) * 1024 * 1024;
const ADDRESS = "adä+b@example.org";
const FORMS = [ADDRESS, ADDRESS.toUpperCase(), encodeURIComponent(ADDRESS), "ad=C3=A4=2bb&#64;example.org"];
const scrubber = new Scrubber(ADDRESS);

/** Streams bytes in pieces through the patches. Returns the result and the most bytes that were held at once. */
async function overwrite(bytes: Uint8Array, cuts: readonly number[], patches: readonly Patch[]) {
  const { readable, writable } = overwriting(patches, scrubber);
  const points = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let [given, taken, held] = [0, 0, 0];
  const out: Uint8Array[] = [];
  const reading = (async () => {
    for await (const chunk of readable) {
      out.push(chunk);
      taken += chunk.length;
    }
  })();
  const writer = writable.getWriter();
  for (const [index, point] of points.slice(1).entries()) {
    const piece = bytes.slice(points[index], point);
    given += piece.length;
    held = Math.max(held, given - taken - piece.length);
    await writer.write(piece);
  }
  await writer.close();
  await reading;
  return { text: out.map(toBinaryString).join(""), held };
}

describe("an object that is overwritten while it streams", () => {
  it("is the same for any pieces: the address is masked in its ranges, in each form, and all else stays", async () => {
    const part = fc.constantFrom(...FORMS, "other@example.org", "ad\u00e4", "é", "x".repeat(40), "\r\n");
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 12 }),
        fc.array(part, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        async (outside, inside, cuts) => {
          const [before, range, after] = [outside.join(" "), inside.join(" "), outside.join("")].map(utf8);
          if (!before || !range || !after) throw new Error("three parts");
          const at = before.length;
          const whole = new Uint8Array([...before, ...range, ...after]);
          const end = at + range.length;
          const masked = await overwrite(whole, cuts, [{ at, size: range.length, with: "mask" }]);
          const expected = inside.map((one) => (FORMS.includes(one) ? "x".repeat(utf8(one).length) : one)).join(" ");
          expect(masked.text).toBe(toBinaryString(new Uint8Array([...before, ...utf8(expected), ...after])));
          const spaces = await overwrite(whole, cuts, [
            { at, size: range.length, with: "spaces" },
            { at: end, size: after.length, with: new Uint8Array(after.length).fill(0x21) },
          ]);
          const texts = [toBinaryString(before), " ".repeat(range.length), "!".repeat(after.length)];
          expect(spaces.text).toBe(texts.join(""));
        },
      ),
    );
  });

  it("masks the address among bytes that are no UTF-8", async () => {
    const latin1 = new Uint8Array([0xe9, 0xff, ...utf8(` ${ADDRESS} `), 0xe4, 0x00]);
    const { text } = await overwrite(latin1, [3, 9], [{ at: 0, size: latin1.length, with: "mask" }]);
    expect(text).toBe(`\u00e9\u00ff ${"x".repeat(utf8(ADDRESS).length)} \u00e4\0`);
  });

  it("of many MB is never held whole", async () => {
    const bytes = new Uint8Array(SIZE).fill(0x61);
    bytes.set(utf8(ADDRESS), 1024 * 1024 - 5);
    const cuts = Array.from({ length: SIZE / 65_536 - 1 }, (_, n) => (n + 1) * 65_536);
    const { text, held } = await overwrite(bytes, cuts, [{ at: 0, size: bytes.length, with: "mask" }]);
    expect(text.indexOf("x")).toBe(1024 * 1024 - 5);
    expect(text.length).toBe(bytes.length);
    expect(held).toBeLessThan(512 * 1024);
  });

  it("stays as it is when it changed after it was read", async () => {
    const key = `w/${crypto.randomUUID()}/batches/${crypto.randomUUID()}`;
    const document = JSON.stringify({ text: ADDRESS, html: null, headers: [], reply_to: null, attachments: [] });
    await env.CONTENT.put(key, `${document}${" ".repeat(1024 * 1024)}`);
    let reads = 0;
    const get = async (name: string, options?: R2GetOptions) => {
      const object = await (options ? env.CONTENT.get(name, options) : env.CONTENT.get(name));
      reads += 1;
      if (reads === 2) await env.CONTENT.put(key, `${document}later`);
      return object;
    };
    const CONTENT = { get, put: env.CONTENT.put.bind(env.CONTENT) };
    const place = { key, offset: 0, size: utf8(document).length };
    const person = { key: ADDRESS, scrubber };
    const erase = (bindings = {}) => overwriteContents(testContext(bindings), [{ place, isAlone: false }], person);
    await expect(erase({ CONTENT })).rejects.toThrow("another writer changed the row first");
    expect(await (await env.CONTENT.get(key))?.text()).toBe(`${document}later`);
    await erase();
    expect(await (await env.CONTENT.get(key))?.text()).toBe(`${document.replace(ADDRESS, "x".repeat(18))}later`);
  });
});
