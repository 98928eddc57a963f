/** The fields of a header that are wanted: all, those of these names, or the others. */
export interface HeaderFields {
  text: "header" | "fields" | "other-fields";
  fields: readonly string[];
}

/** Returns the wanted fields of a header, with folded lines, and the empty line at its end (RFC 3501 6.4.5). `header`: a binary string. */
export function headerOf(header: string, { text, fields }: HeaderFields): string {
  if (text === "header") return header;
  const names = new Set(fields.map((field) => field.toLowerCase()));
  const wanted = splitFields(header).filter((field) => names.has(nameOf(field)) === (text === "fields"));
  return `${wanted.join("")}\r\n`;
}

/** Returns what has all that these are wanted for. */
export function unionOf(wanted: readonly HeaderFields[]): HeaderFields {
  if (wanted.some(({ text }) => text !== "fields")) return { text: "header", fields: [] };
  return { text: "fields", fields: [...new Set(wanted.flatMap(({ fields }) => fields))] };
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
