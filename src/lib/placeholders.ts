/** Placeholders `{{name}}` in subjects and bodies (docs/contract/templates.md#placeholders). Pure, and linear in the length of the text. */

/** Greatest length of a placeholder's name, in Unicode code points. */
const NAME_CHARACTERS = 128;

/** A text that is split at its placeholders, to render it many times. */
export type ParsedText = readonly (string | { readonly name: string })[];

/** Values by the name of the placeholder. */
export type Values = Readonly<Record<string, unknown>>;

/** How a value is written: into HTML, into plain text, or into a header, which has one line. */
export type Encoding = "html" | "text" | "header";

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const CONTROL = /\p{Cc}/u;

/** Splits a text at its placeholders. Braces around anything but a name of 1 to 128 characters stay as they are. */
export function parsePlaceholders(text: string): ParsedText {
  const parts: (string | { name: string })[] = [];
  let start = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const name = readName(match[1] ?? "");
    if (name === null) continue;
    if (match.index > start) parts.push(text.slice(start, match.index));
    parts.push({ name });
    start = match.index + match[0].length;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

function readName(inner: string): string | null {
  if (CONTROL.test(inner)) return null;
  const name = inner.trim();
  if (name === "") return null;
  // A code point has at most two UTF-16 units; a longer text is not taken apart.
  const isLong = name.length > 2 * NAME_CHARACTERS || Array.from(name).length > NAME_CHARACTERS;
  return isLong ? null : name;
}

/** Returns the names of the placeholders of some texts, each once, in order of appearance. */
export function placeholderNames(...texts: (ParsedText | null)[]): string[] {
  const names = texts.flatMap((text) => (text ?? []).flatMap((part) => (typeof part === "string" ? [] : part.name)));
  return [...new Set(names)];
}

/**
 * Replaces every placeholder by its value, once: a value is never expanded again. A missing value renders as an empty
 * string. Returns null when the result is longer than `maxLength` UTF-16 units; it is not built then.
 */
export function renderPlaceholders(
  text: ParsedText,
  values: Values,
  encoding: Encoding,
  maxLength: number,
): string | null {
  const encoded = new Map<string, string>();
  const rendered: string[] = [];
  let length = 0;
  for (const part of text) {
    const piece = typeof part === "string" ? part : encodedValue(part.name, values, encoding, encoded);
    length += piece.length;
    if (length > maxLength) return null;
    rendered.push(piece);
  }
  return rendered.join("");
}

function encodedValue(name: string, values: Values, encoding: Encoding, encoded: Map<string, string>): string {
  const known = encoded.get(name);
  if (known !== undefined) return known;
  const value = encodeValue(valueText(Object.hasOwn(values, name) ? values[name] : undefined), encoding);
  encoded.set(name, value);
  return value;
}

/** Returns a value as text: null and undefined are empty, an object or list is its JSON. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns a text as it is written into HTML, plain text or a header. */
export const encodeValue = (value: string, encoding: Encoding): string => encodings[encoding](value);

const encodings: Readonly<Record<Encoding, (value: string) => string>> = {
  html: escapeHtml,
  text: (value) => value,
  header: (value) => value.replace(/\r\n|\p{Cc}/gu, " "),
};

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns HTML that shows a text as it is. */
export const textAsHtml = (text: string): string => `<pre>${escapeHtml(text)}</pre>`;

/** Escapes a text for HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
