import type { Section } from "../../src/mail/imap/index.ts";

/**
 * Returns what a section shows of a header: all of it, or the fields with or without these names, each with its folded lines, and the
 * empty line at the end (RFC 3501 6.4.5). `header` has one character for each byte.
 */
export function headerOf(header: string, { text, fields }: Pick<Section, "text" | "fields">): string {
  if (text === "header") return header;
  const names = new Set(fields.map((field) => field.toLowerCase()));
  const wanted = splitFields(header).filter((field) => names.has(nameOf(field)) === (text === "fields"));
  return `${wanted.join("")}\r\n`;
}

/** Returns the fields of a header with their folded lines. The empty line is left out. */
function splitFields(header: string): string[] {
  const fields: string[] = [];
  for (const line of header.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (line === "\r\n" || line === "\n") break;
    const last = fields.length - 1;
    if (/^[ \t]/.test(line) && last >= 0) fields[last] += line;
    else fields.push(line);
  }
  return fields;
}

const nameOf = (field: string) =>
  field
    .slice(0, Math.max(0, field.indexOf(":")))
    .trimEnd()
    .toLowerCase();
