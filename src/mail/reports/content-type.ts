/** A media type and its parameters, names and type in lower case (RFC 2045 5.1). */
export interface ContentType {
  type: string;
  parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([!-:<-~]{1,40}?)\*?\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;]*))/g;
const MAX_PARAMETERS = 20;

/** Reads a Content-Type. What is missing or malformed is `fallback` (RFC 2045 5.2), without parameters. */
export function readContentType(value: string | null, fallback: string): ContentType {
  const type = /^\s*([!#$&+.^_a-z0-9-]{1,127}\/[!#$&+.^_a-z0-9-]{1,127})/i.exec(value ?? "")?.[1]?.toLowerCase();
  const parameters = new Map<string, string>();
  if (type === undefined || value === null) return { type: fallback, parameters };
  for (const [, name = "", quoted, token] of value.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? token ?? "");
    if (parameters.size >= MAX_PARAMETERS) break;
  }
  return { type, parameters };
}
