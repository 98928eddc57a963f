/** Header fields (RFC 5322 2.2) of a message, a part or a report, read from octets with line ends of any kind. */

const [TAB, LF, CR, SPACE, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x3a];

/** Fields kept of one block, and octets of one field. What is beyond is passed over. */
const MAX_FIELDS = 500;
const MAX_FIELD = 8192;
/** Octets of a field's name. */
const MAX_NAME = 100;

const utf8 = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const latin1 = new TextDecoder("windows-1252");

/** The fields of one block, by name in lower case. */
export class Fields {
  readonly #values = new Map<string, string[]>();

  add(name: string, value: string): void {
    const known = this.#values.get(name);
    if (known) known.push(value);
    else this.#values.set(name, [value]);
  }

  /** The first value of a field; null when there is none. */
  get(name: string): string | null {
    return this.#values.get(name)?.[0] ?? null;
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** How many names there are. */
  get size(): number {
    return this.#values.size;
  }

  entries(): Iterable<[string, readonly string[]]> {
    return this.#values;
  }

  addAll(other: Fields): void {
    for (const [name, values] of other.entries()) for (const value of values) this.add(name, value);
  }
}

/** Index of the CR or LF that ends the line begun before `at`, or `to`. */
export function lineEnd(octets: Uint8Array, at: number, to: number): number {
  let end = at;
  while (end < to && octets[end] !== LF && octets[end] !== CR) end++;
  return end;
}

/** Where the next line begins, given where this one ends: CRLF, CR and LF each end one line. */
export function nextLine(octets: Uint8Array, end: number, to: number): number {
  if (end >= to) return to;
  return octets[end] === CR && octets[end + 1] === LF ? Math.min(end + 2, to) : end + 1;
}

/** Octets as UTF-8 (RFC 6532), or as windows-1252 when they are not. */
export function decodeHeader(octets: Uint8Array): string {
  const text = utf8.decode(octets);
  return text.includes("\ufffd") ? latin1.decode(octets) : text;
}

/**
 * Reads the fields from `at` on, up to the first empty line or `to`. A line that is no field goes on with the one
 * before it, as one that is indented does (some systems lose the indent); what goes beyond the limits is passed over.
 * Values are unfolded (RFC 5322 2.2.3) and trimmed, encoded words left as they are.
 */
export function readFields(octets: Uint8Array, at: number, to: number): { fields: Fields; bodyAt: number } {
  const fields = new Fields();
  let left = MAX_FIELDS;
  let [from, end, colon] = [at, at, 0];
  const keep = () => {
    if (colon > 0 && left-- > 0) addField(fields, octets.subarray(from, Math.min(end, from + MAX_FIELD)), colon - from);
  };
  for (let line = at; line < to; ) {
    const lineTo = lineEnd(octets, line, to);
    const next = nextLine(octets, lineTo, to);
    if (lineTo === line) {
      keep();
      return { fields, bodyAt: next };
    }
    const found = colonOf(octets, line, lineTo);
    if (found > 0) {
      keep();
      [from, colon] = [line, found];
    }
    end = lineTo;
    line = next;
  }
  keep();
  return { fields, bodyAt: to };
}

/** Where the name that begins the line ends (RFC 5322 2.2, 4.5.8: white space may follow it); 0 when there is none. */
function colonOf(octets: Uint8Array, line: number, end: number): number {
  let at = line;
  for (; at < end && at - line < MAX_NAME; at++) {
    const octet = octets[at] ?? 0;
    if (octet === COLON || octet <= SPACE || octet > 126) break;
  }
  const isNamed = at > line;
  while (at < end && (octets[at] === SPACE || octets[at] === TAB)) at++;
  return isNamed && octets[at] === COLON && at < end ? at : 0;
}

function addField(fields: Fields, octets: Uint8Array, colon: number): void {
  const name = decodeHeader(octets.subarray(0, colon)).trimEnd().toLowerCase();
  fields.add(name, unfold(decodeHeader(octets.subarray(colon + 1))));
}

const unfold = (value: string) => value.replace(/(?:\r\n|\r|\n)[ \t]*/g, " ").trim();
