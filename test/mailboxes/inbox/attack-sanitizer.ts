import { expect, it } from "vitest";
import { payloads } from "./xss-payloads.ts";

/** The markup that sanitised HTML may have, written down beside the rules of the product. */
export interface AllowedMarkup {
  /** Names, separated by spaces. */
  elements: string;
  attributes: string;
  /** Checks of values by the name of their attribute. They get the value in lower case, without spaces and controls. */
  values: Readonly<Record<string, (value: string) => boolean>>;
}

/** Defines the tests that hostile HTML has nothing dangerous any more after it was sanitised, and stays the same the second time. */
export function attackSanitizer(sanitize: (html: string) => string, allowed: AllowedMarkup): void {
  for (const [family, list] of Object.entries(payloads)) {
    it(`contains nothing of ${list.length} payloads: ${family}`, async () => {
      for (const payload of list) {
        for (const html of [payload, `<div><p>before ${payload} after</p></div>`, `<table><tr><td>${payload}`]) {
          const clean = sanitize(html);
          expect(await findDangers(clean, allowed), `${html}\n-> ${clean}`).toEqual([]);
          expect(sanitize(clean), html).toBe(clean);
        }
      }
    });
  }
}

/** Returns what is not allowed in HTML, as the parser of the runtime reads it. */
export async function findDangers(html: string, { elements, attributes, values }: AllowedMarkup): Promise<string[]> {
  const [names, keys] = [new Set(elements.split(" ")), new Set(attributes.split(" "))];
  const dangers: string[] = [];
  const rewriter = new HTMLRewriter().on("*", {
    element({ tagName, attributes: found }) {
      if (!names.has(tagName.toLowerCase())) dangers.push(`<${tagName}>`);
      for (const [name = "", value = ""] of found) {
        if (!keys.has(name.toLowerCase())) dangers.push(name);
        const isAllowed = values[name]?.(value.replace(/[\0-\x20]/g, "").toLowerCase()) ?? true;
        if (!isAllowed) dangers.push(`${name} ${value}`);
      }
    },
    comments: () => {
      dangers.push("comment");
    },
  });
  await rewriter.transform(new Response(html)).text();
  return dangers;
}
