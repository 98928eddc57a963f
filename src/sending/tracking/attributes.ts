/** Parses the attributes of one start tag, with their positions in the document (HTML standard, 13.2.5). Pure. */

import { decodeHTMLAttribute } from "entities/decode";

/** An attribute with its positions in the document, in UTF-16 code units. An absent value has equal positions. */
export interface Attribute {
  name: string;
  /** Start of the white space before the name. `to` is the end of the closing quote. */
  from: number;
  to: number;
  valueFrom: number;
  valueTo: number;
}

const SPACE = /[\t\n\f\r ]/;

/** Yields the attributes of the tag that begins at `at`, in order, with duplicates. One at a time: a tag can have millions. */
export function* parseAttributes(html: string, at: number): Generator<Attribute> {
  let i = at + 1;
  while (i < html.length && !/[\t\n\f\r />]/.test(html[i] ?? "")) i++;
  for (;;) {
    const from = i;
    while (SPACE.test(html[i] ?? "") || html[i] === "/") i++;
    if (i >= html.length || html[i] === ">") return;
    const nameFrom = i;
    // An equals sign at the start belongs to the name.
    do i++;
    while (i < html.length && !/[\t\n\f\r />=]/.test(html[i] ?? ""));
    const name = html.slice(nameFrom, i).toLowerCase();
    const value = valueAt(html, i);
    yield { name, from, ...(value ?? { valueFrom: i, valueTo: i, to: i }) };
    i = value?.to ?? i;
  }
}

function valueAt(html: string, afterName: number): Pick<Attribute, "valueFrom" | "valueTo" | "to"> | null {
  let i = afterName;
  while (SPACE.test(html[i] ?? "")) i++;
  if (html[i] !== "=") return null;
  i++;
  while (SPACE.test(html[i] ?? "")) i++;
  const quote = html[i];
  if (quote === '"' || quote === "'") {
    const end = html.indexOf(quote, i + 1);
    const valueTo = end < 0 ? html.length : end;
    return { valueFrom: i + 1, valueTo, to: end < 0 ? valueTo : end + 1 };
  }
  const valueFrom = i;
  while (i < html.length && !/[\t\n\f\r >]/.test(html[i] ?? "")) i++;
  return { valueFrom, valueTo: i, to: i };
}

/** Returns the value of an attribute as a browser reads it, without white space around it. */
export const decodeValue = (raw: string): string => trimSpace(decodeHTMLAttribute(raw));

/** Removes white space at both ends. A loop: the pattern `[\t\n\f\r ]+$` takes quadratic time on a run of spaces. */
function trimSpace(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && SPACE.test(text.charAt(from))) from++;
  while (to > from && SPACE.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
