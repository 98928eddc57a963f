import type { Ctx } from "../context.ts";
import { utf8Length } from "../lib/bytes.ts";
import { MAX_TARGET_OCTETS, newClickToken, newOpenToken, type TrackedMail } from "../mail-tokens/index.ts";
import { type Attribute, decodeValue, parseAttributes } from "./attributes.ts";
import { isTrackable, type Tracking } from "./rules.ts";

/** The namespace of elements that are neither SVG's nor MathML's. */
const HTML_NAMESPACE = "http://www.w3.org/1999/xhtml";

/** Something in the document gives way to something else, in UTF-16 units. */
interface Edit {
  from: number;
  to: number;
  by: string;
}

/**
 * The HTML of a mail with tracking links and a pixel at the end of its body (decisions 4). Whatever is not the target
 * of a link stays as it is, octet for octet, and the same mail always comes out the same. HTML that cannot be read
 * goes out untracked.
 */
export async function trackHtml(ctx: Ctx, html: string, mail: TrackedMail, tracking: Tracking): Promise<string> {
  if (!tracking.opens && !tracking.clicks) return html;
  try {
    const { links, end } = await locateLinks(html);
    const edits = tracking.clicks ? await linkEdits(ctx, html, mail, links) : [];
    if (tracking.opens) edits.push({ from: end, to: end, by: await pixelTag(ctx, mail) });
    return applyEdits(html, edits);
  } catch (error) {
    ctx.log("tracking.unreadable", { email: mail.emailId, error: String(error) });
    return html;
  }
}

/**
 * Where the start tags of links begin, and where the body ends. The rewriter knows what is markup but tells no
 * places, and tidies each tag it changes: so it only sets marks, which are then looked up and left out again.
 */
async function locateLinks(html: string): Promise<{ links: number[]; end: number }> {
  const [link, end] = unusedCharacters(html);
  const mark = { element: (element: Element) => void element.before(link, { html: true }) };
  const bodyEnd = {
    element(element: Element) {
      // `<body/>` among formulas and drawings has no end, which the rewriter says by throwing.
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

/** Two characters for private use that the document does not use. */
function unusedCharacters(html: string): [string, string] {
  const absent: string[] = [];
  for (let code = 0xe000; absent.length < 2; code++) {
    if (code > 0xf8ff) throw new Error("no character is left to mark places with");
    if (!html.includes(String.fromCharCode(code))) absent.push(String.fromCharCode(code));
  }
  return [absent[0] ?? "", absent[1] ?? ""];
}

async function linkEdits(ctx: Ctx, html: string, mail: TrackedMail, links: readonly number[]): Promise<Edit[]> {
  const edits = await Promise.all(
    links.map(async (at): Promise<Edit | null> => {
      const attributes = parseAttributes(html, at);
      const off = attributes.find(({ name }) => name === "data-track");
      if (off && attributeText(html, off).toLowerCase() === "off") return removeAttribute(html, off);
      // Of two attributes with one name the first counts.
      const href = attributes.find(({ name }) => name === "href");
      const url = href && decodeValue(attributeText(html, href));
      if (!href || !url || !isTrackable(url, ctx.settings.publicUrl) || utf8Length(url) > MAX_TARGET_OCTETS)
        return null;
      const token = await newClickToken(ctx.settings.masterKeys, { ...mail, url });
      return { from: href.valueFrom, to: href.valueTo, by: `${ctx.settings.publicUrl}/t/c/${token}` };
    }),
  );
  return edits.filter((edit) => edit !== null);
}

/** Takes an attribute away; its neighbours stay apart. */
function removeAttribute(html: string, { from, to }: Attribute): Edit {
  return { from, to, by: /[\t\n\f\r />]/.test(html[to] ?? "") ? "" : " " };
}

const attributeText = (html: string, { valueFrom, valueTo }: Attribute) => html.slice(valueFrom, valueTo);

async function pixelTag(ctx: Ctx, mail: TrackedMail): Promise<string> {
  const token = await newOpenToken(ctx.settings.masterKeys, mail);
  return `<img src="${ctx.settings.publicUrl}/t/o/${token}" width="1" height="1" alt="" style="border:0">`;
}

function applyEdits(html: string, edits: readonly Edit[]): string {
  let out = "";
  let at = 0;
  for (const { from, to, by } of edits.toSorted((a, b) => a.from - b.from)) {
    out += html.slice(at, from) + by;
    at = to;
  }
  return out + html.slice(at);
}
