import type { HeaderField } from "../mime/headers.ts";
import { RawMessageError } from "./errors.ts";

/** A name of printable ASCII without a colon, white space that old programs write, and the colon (RFC 5322 2.2, 4.5.8). */
const FIELD = /^([!-9;-~]{1,200})[ \t]*:/;

/** Splits a header, a binary string with CRLF, into fields. Throws RawMessageError for a line that is none; `isLenient` leaves it out. */
export function parseFields(head: string, isLenient = false): HeaderField[] {
  const fields: { name: string; raw: string }[] = [];
  for (const line of head.split(/(?<=\r\n)/)) {
    const [, name] = FIELD.exec(line) ?? [];
    const last = fields.at(-1);
    if (/^[ \t]/.test(line) && last) last.raw += line;
    else if (name !== undefined) fields.push({ name, raw: line });
    else if (line !== "" && !isLenient) throw new RawMessageError("format", "the header has a line that is no field");
  }
  return fields;
}

/** Returns the unfolded value of the first field with a name in lower case, as a binary string; null without one. */
export function fieldValue(fields: readonly HeaderField[], name: string): string | null {
  const field = fields.find((candidate) => candidate.name.toLowerCase() === name);
  if (!field) return null;
  return field.raw
    .slice(field.raw.indexOf(":") + 1)
    .replaceAll("\r\n", "")
    .trim();
}
