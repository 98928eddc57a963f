/** The namespace of HTML elements, as opposed to SVG and MathML. */
const HTML_NAMESPACE = "http://www.w3.org/1999/xhtml";
/** Private-use characters from which the markers are chosen. In UTF-8 all of them are three bytes that begin with 0xEE. */
const [FIRST_PRIVATE, LAST_PRIVATE] = [0xe000, 0xefff];
const PRIVATE = /[\ue000-\uefff]/;
const MARKER_LEAD = 0xee;
/** Tags of `a`, `area` and `body` that HTMLRewriter visits in one email. Each visit calls a handler, for about 9 µs. */
const MAX_VISITED_TAGS = 3_000;

/** Characters that end a tag's name (HTML standard, 13.2.5.8). */
const NAME_END = "\t\n\f\r />";

/** Positions in a document, in UTF-16 code units. */
export interface LinkPositions {
  /** Starts of the links' start tags. */
  links: number[];
  /** End of the body, or of the document when no body ends. */
  bodyEnd: number;
  /** Tags of `a` and `area` behind the first MAX_VISITED_TAGS, which are not in `links`. */
  unvisited: number;
}

/**
 * Returns the positions of the links' start tags and of the body's end. HTMLRewriter parses markup but gives no
 * positions, and it rewrites each tag that it changes. So it only inserts marker characters; their positions are then
 * read from its output. It parses only the part of the document that contains the first MAX_VISITED_TAGS tags.
 */
export async function locateLinks(html: string): Promise<LinkPositions> {
  const { end, unvisited } = visitedPart(html);
  const [linkMarker, bodyMarker] = unusedCharacters(html);
  const markLink = { element: (element: Element) => void element.before(linkMarker, { html: true }) };
  const markBodyEnd = {
    element(element: Element) {
      // A `<body/>` within SVG or MathML has no end tag, and onEndTag() throws for it.
      if (element.namespaceURI === HTML_NAMESPACE) {
        element.onEndTag((tag) => void tag.before(bodyMarker, { html: true }));
      }
    },
  };
  const marked = await new HTMLRewriter()
    .on("a[href]", markLink)
    .on("area[href]", markLink)
    .on("body", markBodyEnd)
    .transform(
      new Response(end < html.length ? html.slice(0, end) : html, {
        headers: { "Content-Type": "text/html; charset=utf-8" },
      }),
    )
    .arrayBuffer();
  const links: number[] = [];
  let bodyEnd = html.length;
  for (const { marker, position } of markerPositions(new Uint8Array(marked), linkMarker, bodyMarker)) {
    if (marker === linkMarker) links.push(position);
    else bodyEnd = position;
  }
  return { links, bodyEnd, unvisited };
}

/** Returns the end of the part that HTMLRewriter parses, and the number of links' tags behind it. */
function visitedPart(html: string): { end: number; unvisited: number } {
  let end = html.length;
  let tags = 0;
  let unvisited = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at + 1)) {
    const isLink = startsName(html, at + 1, "a") || startsName(html, at + 1, "area");
    if (!isLink && !startsName(html, at + 1, "body")) continue;
    tags += 1;
    if (tags === MAX_VISITED_TAGS + 1) end = at;
    if (tags > MAX_VISITED_TAGS && isLink) unvisited += 1;
  }
  return { end, unvisited };
}

/** Returns whether a tag's name is at this position. Also finds names in comments, where HTMLRewriter calls no handler. */
function startsName(html: string, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    // 0x20 is the difference between upper and lower case.
    if ((html.charCodeAt(at + i) | 0x20) !== name.charCodeAt(i)) return false;
  }
  return NAME_END.includes(html.charAt(at + name.length));
}

/** Returns two private-use characters that do not occur in the document. Throws when all 4,096 occur. */
function unusedCharacters(html: string): [string, string] {
  const used = new Uint8Array(LAST_PRIVATE - FIRST_PRIVATE + 1);
  // One search of the whole document per character would be slow for a document that has them all at its end.
  for (let i = html.search(PRIVATE); i >= 0 && i < html.length; i++) {
    const index = html.charCodeAt(i) - FIRST_PRIVATE;
    if (index >= 0 && index < used.length) used[index] = 1;
  }
  const first = used.indexOf(0);
  const second = used.indexOf(0, first + 1);
  if (first < 0 || second < 0) throw new Error("the HTML contains all private-use characters");
  return [String.fromCharCode(FIRST_PRIVATE + first), String.fromCharCode(FIRST_PRIVATE + second)];
}

/** Finds the markers in UTF-8. Yields each with its position in the document without markers, in UTF-16 code units. */
function* markerPositions(
  bytes: Uint8Array,
  ...markers: readonly string[]
): Generator<{ marker: string; position: number }> {
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  const codes = markers.map((marker) => marker.charCodeAt(0));
  let position = 0;
  let start = 0;
  for (let at = bytes.indexOf(MARKER_LEAD); at >= 0; at = bytes.indexOf(MARKER_LEAD, at + 3)) {
    const code = FIRST_PRIVATE | (((bytes[at + 1] ?? 0) & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f);
    const marker = markers[codes.indexOf(code)];
    if (marker === undefined) continue;
    position += decoder.decode(bytes.subarray(start, at)).length;
    start = at + 3;
    yield { marker, position };
  }
}
