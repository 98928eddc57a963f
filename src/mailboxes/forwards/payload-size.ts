import { utf8Length } from "../../lib/bytes.ts";

/** Bounds on the parts of a request, so that all of it fits into one row of at most 2,000,000 bytes (D1 limits). Pure. */

/** Returns the beginning of a text whose JSON has at most `maxBytes`: each control character takes six. */
export function cutText(text: string, maxBytes: number): string {
  let cut = text;
  for (let bytes = jsonBytes(cut); bytes > maxBytes; bytes = jsonBytes(cut))
    cut = cut.slice(0, Math.floor(cut.length * Math.min(0.9, maxBytes / bytes)));
  return cut;
}

/** Returns the first items whose JSON has at most `maxBytes` together. */
export function cutList<Item>(items: readonly Item[], maxBytes: number): Item[] {
  let bytes = 2;
  const first = items.findIndex((item) => {
    bytes += jsonBytes(item) + 1;
    return bytes > maxBytes;
  });
  return first === -1 ? [...items] : items.slice(0, first);
}

const jsonBytes = (value: unknown) => utf8Length(JSON.stringify(value));
