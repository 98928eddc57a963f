/** Parses the attributes of one start tag, with their positions in the document (HTML standard, 13.2.5). Pure. */

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

/** Named character references for characters that occur in URLs. */
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

/** Further names that browsers decode without a semicolon (HTML standard, 13.5). */
const LEGACY_REFERENCES = new Set(
  `AElig Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml Iacute Icirc Igrave Iuml
   Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml REG THORN Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute aelig
   agrave aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml frac12
   frac14 frac34 iacute icirc iexcl igrave iquest iuml laquo macr micro middot nbsp not ntilde oacute ocirc ograve
   ordf ordm oslash otilde ouml para plusmn pound raquo reg sect shy sup1 sup2 sup3 szlig thorn times uacute ucirc
   ugrave uml uuml yacute yen yuml`.split(/\s+/),
);

/**
 * Decodes the value of an attribute as a browser does, and removes white space around it. Returns null when the value
 * contains a character reference that this table does not have: such a link is not rewritten, because a wrong target
 * is worse than an untracked link.
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
      const character =
        Object.hasOwn(NAMED_REFERENCES, name) && (end === ";" || name !== "apos") ? NAMED_REFERENCES[name] : undefined;
      if (character === undefined && (end === ";" || LEGACY_REFERENCES.has(name))) known = false;
      return character ?? all;
    },
  );
  return known ? trimSpace(value) : null;
}

/** Removes white space at both ends. A loop: the pattern `[\t\n\f\r ]+$` takes quadratic time on a run of spaces. */
function trimSpace(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && SPACE.test(text.charAt(from))) from++;
  while (to > from && SPACE.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** Returns null for code points that browsers replace: NUL, surrogates, the C1 range, numbers beyond Unicode. */
function decodeCodePoint(code: number): string | null {
  const isReplaced =
    code === 0 || code > 0x10ffff || (code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code < 0xe000);
  return isReplaced ? null : String.fromCodePoint(code);
}
