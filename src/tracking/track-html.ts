import type { Ctx } from "../context.ts";
import { utf8Length } from "../lib/bytes.ts";
import { MAX_TARGET_BYTES, type MailReference, newClickToken, newOpenToken } from "../mail-tokens/index.ts";
import { type Attribute, decodeValue, parseAttributes } from "./attributes.ts";
import { isTrackable, type Tracking } from "./rules.ts";

/** The namespace of HTML elements, as opposed to SVG and MathML. */
const HTML_NAMESPACE = "http://www.w3.org/1999/xhtml";

/** A replacement in the document, in UTF-16 code units. */
interface Edit {
  from: number;
  to: number;
  replacement: string;
}

/**
 * Returns the HTML with tracking links and with a pixel at the end of its body (decisions 4). Everything but the link
 * targets stays unchanged. The same input gives the same result. HTML that HTMLRewriter cannot parse is returned
 * unchanged, and the log says so.
 */
export async function trackHtml(ctx: Ctx, html: string, mail: MailReference, tracking: Tracking): Promise<string> {
  if (!tracking.opens && !tracking.clicks) return html;
  try {
    const { links, end } = await locateLinks(html);
    const edits = tracking.clicks ? await linkEdits(ctx, html, mail, links) : [];
    if (tracking.opens) edits.push({ from: end, to: end, replacement: await pixelTag(ctx, mail) });
    return applyEdits(html, edits);
  } catch (error) {
    ctx.log("tracking.unreadable", { email: mail.emailId, error: String(error) });
    return html;
  }
}

/**
 * Returns the positions of the links' start tags and of the body's end. HTMLRewriter parses markup but gives no
 * positions, and it rewrites each tag that it changes. So it only inserts marker characters; their positions are then
 * read from its output.
 */
async function locateLinks(html: string): Promise<{ links: number[]; end: number }> {
  const [link, end] = unusedCharacters(html);
  const mark = { element: (element: Element) => void element.before(link, { html: true }) };
  const bodyEnd = {
    element(element: Element) {
      // A `<body/>` within SVG or MathML has no end tag, and onEndTag() throws for it.
      if (element.namespaceURI === HTML_NAMESPACE) element.onEndTag((tag) => void tag.before(end, { html: true }));
    },
  };
  const marked = await new HTMLRewriter()
    .on("a[href]", mark)
    .on("area[href]", mark)
    .on("body", bodyEnd)
    .transform(new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } }))
    .arrayBuffer();
  const pieces = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true })
    .decode(marked)
    .split(new RegExp(`(${link}|${end})`));
  const found = { links: [] as number[], end: html.length };
  let at = 0;
  for (const piece of pieces) {
    if (piece === link) found.links.push(at);
    else if (piece === end) found.end = at;
    else at += piece.length;
  }
  return found;
}

/** Returns two private-use characters that do not occur in the document. Throws when all 6,400 occur. */
function unusedCharacters(html: string): [string, string] {
  const absent: string[] = [];
  for (let code = 0xe000; absent.length < 2; code++) {
    if (code > 0xf8ff) throw new Error("the HTML contains all private-use characters");
    if (!html.includes(String.fromCharCode(code))) absent.push(String.fromCharCode(code));
  }
  return [absent[0] ?? "", absent[1] ?? ""];
}

async function linkEdits(ctx: Ctx, html: string, mail: MailReference, links: readonly number[]): Promise<Edit[]> {
  const edits = await Promise.all(
    links.map(async (at): Promise<Edit | null> => {
      const attributes = parseAttributes(html, at);
      const off = attributes.find(({ name }) => name === "data-track");
      if (off && attributeText(html, off).toLowerCase() === "off") return removeAttribute(html, off);
      // Browsers use the first of two attributes with one name.
      const href = attributes.find(({ name }) => name === "href");
      const url = href && decodeValue(attributeText(html, href));
      if (!href || !url || !isTrackable(url, ctx.settings.publicUrl) || utf8Length(url) > MAX_TARGET_BYTES) return null;
      const token = await newClickToken(ctx.settings.masterKeys, { ...mail, url });
      return { from: href.valueFrom, to: href.valueTo, replacement: `${ctx.settings.publicUrl}/t/c/${token}` };
    }),
  );
  return edits.filter((edit) => edit !== null);
}

/** Removes an attribute. A space stays where its neighbours would otherwise join. */
function removeAttribute(html: string, { from, to }: Attribute): Edit {
  return { from, to, replacement: /[\t\n\f\r />]/.test(html[to] ?? "") ? "" : " " };
}

const attributeText = (html: string, { valueFrom, valueTo }: Attribute) => html.slice(valueFrom, valueTo);

async function pixelTag(ctx: Ctx, mail: MailReference): Promise<string> {
  const token = await newOpenToken(ctx.settings.masterKeys, mail);
  return `<img src="${ctx.settings.publicUrl}/t/o/${token}" width="1" height="1" alt="" style="border:0">`;
}

function applyEdits(html: string, edits: readonly Edit[]): string {
  let out = "";
  let at = 0;
  for (const { from, to, replacement } of edits.toSorted((a, b) => a.from - b.from)) {
    out += html.slice(at, from) + replacement;
    at = to;
  }
  return out + html.slice(at);
}
