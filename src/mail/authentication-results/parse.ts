/** Parses the value of an Authentication-Results field (RFC 8601 2.2). Pure. */

/** One result of a value. */
export interface MethodResult {
  /** Method and result in lower case, such as `dmarc` and `fail`. */
  method: string;
  result: string;
  /** Values by `ptype.property` in lower case. */
  properties: ReadonlyMap<string, string>;
  /** True when the rest of the result follows the grammar. If not, part of it may be text of a sender. */
  isComplete: boolean;
}

export interface AuthenticationResults {
  /** In lower case. */
  authservId: string;
  results: MethodResult[];
}

/** Characters of a value, and its results. */
const MAX_VALUE = 16_384;
const MAX_RESULTS = 100;

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const AUTHSERV_ID = new RegExp(`^\\s*(?:(${QUOTED})|([^\\s"=]{1,255}))(?:\\s+\\d+)?\\s*$`);
const METHOD = /^\s*([a-z][a-z0-9-]{0,49})(?:\s*\/\s*\d+)?\s*=\s*([a-z][a-z0-9-]{0,49})(?=\s|$)/i;
// Values are read as receivers write them: IPv6 addresses and base64 have characters that no token has.
const PROPERTY = new RegExp(
  `\\s+(?:reason|([a-z][a-z0-9-]*)\\s*\\.\\s*([a-z][a-z0-9-]*))\\s*=\\s*(${QUOTED}[^\\s"]*|[^\\s"]+)(?=\\s|$)`,
  "iy",
);

/**
 * Returns the results of an unfolded value. Null for one that cannot be relied on: control characters, more than 16,384
 * characters, or no authserv-id. A result that a sender's text has broken is kept as incomplete, so that it hides no failure.
 */
export function parseResults(value: string): AuthenticationResults | null {
  if (value.length > MAX_VALUE || /[^\t\P{Cc}]/u.test(value)) return null;
  const [first = "", ...rest] = splitResults(value);
  const [, quoted, token] = AUTHSERV_ID.exec(first) ?? [];
  const authservId = (quoted === undefined ? token : unquote(quoted))?.toLowerCase();
  if (!authservId) return null;
  return { authservId, results: rest.slice(0, MAX_RESULTS).flatMap((text) => parseResult(text) ?? []) };
}

function parseResult(text: string): MethodResult | null {
  const [head, method, result] = METHOD.exec(text) ?? [];
  if (head === undefined || method === undefined || result === undefined) return null;
  const properties = new Map<string, string>();
  PROPERTY.lastIndex = head.length;
  let end = head.length;
  for (let match = PROPERTY.exec(text); match; match = PROPERTY.exec(text)) {
    const [, type, name, value = ""] = match;
    const key = `${type}.${name}`.toLowerCase();
    if (type !== undefined && !properties.has(key)) properties.set(key, unquote(value));
    end = PROPERTY.lastIndex;
  }
  const isComplete = text.slice(end).trim() === "";
  return { method: method.toLowerCase(), result: result.toLowerCase(), properties, isComplete };
}

/** Splits a value at the semicolons outside of comments and quoted strings. Comments, which may nest, become a space. */
function splitResults(value: string): string[] {
  const parts: string[] = [];
  let [part, depth, isQuoted] = ["", 0, false];
  for (let at = 0; at < value.length; at++) {
    const character = value[at] ?? "";
    const isEscape = character === "\\" && (depth > 0 || isQuoted);
    const text = isEscape ? value.slice(at, at + 2) : character;
    at += text.length - 1;
    if (depth > 0) {
      if (text === "(") depth += 1;
      else if (text === ")") depth -= 1;
    } else if (text === "(" && !isQuoted) {
      depth = 1;
      part += " ";
    } else if (text === ";" && !isQuoted) {
      parts.push(part);
      part = "";
    } else {
      if (text === '"') isQuoted = !isQuoted;
      part += text;
    }
  }
  return [...parts, part];
}

const unquote = (text: string) =>
  text.replace(/^"((?:[^"\\]|\\.)*)"/, (_, inner: string) => inner.replace(/\\(.)/g, "$1"));
