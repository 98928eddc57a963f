/** Attributes of one start tag, where they stand in the text of the document (HTML standard, 13.2.5). Pure. */

/** An attribute's place, in UTF-16 units of the document. The value without its quotes; both ends equal for none. */
export interface Attribute {
  name: string;
  /** From the white space before the name to behind the closing quote. */
  from: number;
  to: number;
  valueFrom: number;
  valueTo: number;
}

const SPACE = /[\t\n\f\r ]/;

/** The attributes of the tag that begins at `at`, in order, duplicates and all. */
export function parseAttributes(html: string, at: number): Attribute[] {
  const found: Attribute[] = [];
  let i = at + 1;
  while (i < html.length && !/[\t\n\f\r />]/.test(html[i] ?? "")) i++;
  for (;;) {
    const from = i;
    while (SPACE.test(html[i] ?? "") || html[i] === "/") i++;
    if (i >= html.length || html[i] === ">") return found;
    const nameFrom = i;
    // An equals sign in the first place belongs to the name.
    do i++;
    while (i < html.length && !/[\t\n\f\r />=]/.test(html[i] ?? ""));
    const name = html.slice(nameFrom, i).toLowerCase();
    const value = valueAt(html, i);
    found.push({ name, from, ...(value ?? { valueFrom: i, valueTo: i, to: i }) });
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

/** Character references that stand for what an address has in it. */
const NAMED_REFERENCES: Readonly<Record<string, string>> = {
  amp: "&",
  AMP: "&",
  lt: "<",
  LT: "<",
  gt: ">",
  GT: ">",
  quot: '"',
  QUOT: '"',
  apos: "'",
};

/** Names that count without their semicolon too (HTML standard, 13.5), besides those above. */
const LEGACY_REFERENCES = new Set(
  `AElig Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml Iacute Icirc Igrave Iuml
   Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml REG THORN Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute aelig
   agrave aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml frac12
   frac14 frac34 iacute icirc iexcl igrave iquest iuml laquo macr micro middot nbsp not ntilde oacute ocirc ograve
   ordf ordm oslash otilde ouml para plusmn pound raquo reg sect shy sup1 sup2 sup3 szlig thorn times uacute ucirc
   ugrave uml uuml yacute yen yuml`.split(/\s+/),
);

/**
 * The value of an attribute as a browser reads it, without white space around it. Null when it holds a character
 * reference that this does not know: better left alone than misread.
 */
export function decodeValue(raw: string): string | null {
  let known = true;
  const value = raw.replace(
    /&(?:#[xX]([0-9a-fA-F]+);?|#([0-9]+);?|([A-Za-z][A-Za-z0-9]*)(;|=|))/g,
    (all, ...groups) => {
      const [hexadecimal, decimal, name, end] = groups as (string | undefined)[];
      if (name === undefined) {
        const character = decodeCodePoint(
          hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16),
        );
        known &&= character !== null;
        return character ?? all;
      }
      if (end === "=") return all;
      const meant =
        Object.hasOwn(NAMED_REFERENCES, name) && (end === ";" || name !== "apos") ? NAMED_REFERENCES[name] : undefined;
      if (meant === undefined && (end === ";" || LEGACY_REFERENCES.has(name))) known = false;
      return meant ?? all;
    },
  );
  return known ? value.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "") : null;
}

/** Nothing for what browsers mend: NUL, surrogates, the C1 range of Windows-1252, numbers beyond Unicode. */
function decodeCodePoint(code: number): string | null {
  const mended = code === 0 || code > 0x10ffff || (code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code < 0xe000);
  return mended ? null : String.fromCodePoint(code);
}
