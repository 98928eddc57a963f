import { utf8Length } from "../../lib/bytes.ts";
import type { Ctx } from "../../platform/context.ts";
import { spendWork } from "../../platform/db/count-statements.ts";
import type { MailReference } from "../../platform/mail-tokens/codec.ts";
import { MAX_TARGET_BYTES, newClickToken, newOpenToken } from "../../platform/mail-tokens/tracking.ts";
import { type Attribute, decodeValue, parseAttributes } from "./attributes.ts";
import { locateLinks } from "./locate-links.ts";
import { isTrackable, type Tracking } from "./rules.ts";

/** Tracked links of one email (docs/contract/limits.md#one-email). Each costs one signature. */
export const MAX_TRACKED_LINKS = 1_000;
/** Work of a tracked link: its signature. */
const LINK_WORK = 2_000;
/** Characters of an `href` with character references: the longest target has MAX_TARGET_BYTES once it is decoded. */
const MAX_ENCODED_TARGET = 2 * MAX_TARGET_BYTES;

/** An `href` that can decode to an http or https URL. Decoding the others would waste CPU. */
const MAY_BE_WEB = /^[\t\n\f\r ]*[h&]/i;

/** HTML with tracking links and pixel. */
export interface TrackedHtml {
  html: string;
  /** Links that are not tracked because the email has more than MAX_TRACKED_LINKS. */
  untrackedLinks: number;
}

/** A replacement in the document, in UTF-16 code units. */
interface Edit {
  from: number;
  to: number;
  replacement: string;
}

/**
 * Returns the HTML with tracking links and with a pixel at the end of its body (docs/contract/tracking.md#what-is-tracked).
 * Tracks the first MAX_TRACKED_LINKS links. Everything but the link targets stays unchanged. The same input gives the same
 * result. `linkUrl`: the origin of the links and the pixel. HTML that HTMLRewriter cannot parse is returned unchanged, and the log says so.
 */
export async function trackHtml(
  ctx: Ctx,
  html: string,
  mail: MailReference,
  tracking: Tracking,
  linkUrl: string = ctx.settings.publicUrl,
): Promise<TrackedHtml> {
  if (!tracking.opens && !tracking.clicks) return { html, untrackedLinks: 0 };
  try {
    const { links, bodyEnd, unvisited } = await locateLinks(html);
    const edits: Edit[] = [];
    const untrackedLinks = tracking.clicks
      ? (await addLinkEdits(ctx, html, mail, { links, linkUrl }, edits)) + unvisited
      : 0;
    if (tracking.opens) edits.push({ from: bodyEnd, to: bodyEnd, replacement: await pixelTag(ctx, mail, linkUrl) });
    return { html: applyEdits(html, edits), untrackedLinks };
  } catch (error) {
    ctx.log("tracking.unreadable", { email: mail.emailId, error: String(error) });
    return { html, untrackedLinks: 0 };
  }
}

/** Adds the edits of the links at these positions. Returns how many links are left untracked beyond the limit. */
async function addLinkEdits(
  ctx: Ctx,
  html: string,
  mail: MailReference,
  { links, linkUrl }: { links: readonly number[]; linkUrl: string },
  edits: Edit[],
): Promise<number> {
  const { masterKeys, publicUrl } = ctx.settings;
  let tracked = 0;
  let untracked = 0;
  for (const at of links) {
    const { off, href } = readLink(html, at);
    if (off) {
      edits.push(removeAttribute(html, off));
    } else if (href && tracked === MAX_TRACKED_LINKS) {
      untracked += 1;
    } else if (href) {
      const url = readTarget(attributeText(html, href), [publicUrl, linkUrl]);
      if (url === null) continue;
      tracked += 1;
      spendWork(ctx, LINK_WORK);
      // One after the other: signing all at once holds every target and every result in memory.
      const token = await newClickToken(masterKeys, { ...mail, url });
      edits.push({ from: href.valueFrom, to: href.valueTo, replacement: `${linkUrl}/t/c/${token}` });
    }
  }
  return untracked;
}

/** Reads the start tag at `at`: its `data-track="off"`, else its `href` when that can be a URL of the web. */
function readLink(html: string, at: number): { off?: Attribute; href?: Attribute } {
  let track: Attribute | undefined;
  let href: Attribute | undefined;
  for (const attribute of parseAttributes(html, at)) {
    // Browsers use the first of two attributes with one name.
    if (attribute.name === "data-track") track ??= attribute;
    if (attribute.name === "href") href ??= attribute;
  }
  if (track && attributeText(html, track).toLowerCase() === "off") return { off: track };
  if (!href || href.valueTo - href.valueFrom > MAX_ENCODED_TARGET) return {};
  return MAY_BE_WEB.test(attributeText(html, href)) ? { href } : {};
}

/** Returns the target of an `href` as a browser reads it, or null when it is not trackable. */
function readTarget(encoded: string, ownUrls: readonly string[]): string | null {
  const url = decodeValue(encoded);
  return url && ownUrls.every((own) => isTrackable(url, own)) && utf8Length(url) <= MAX_TARGET_BYTES ? url : null;
}

/** Removes an attribute. A space stays where its neighbours would otherwise join. */
function removeAttribute(html: string, { from, to }: Attribute): Edit {
  return { from, to, replacement: /[\t\n\f\r />]/.test(html[to] ?? "") ? "" : " " };
}

const attributeText = (html: string, { valueFrom, valueTo }: Attribute) => html.slice(valueFrom, valueTo);

async function pixelTag(ctx: Ctx, mail: MailReference, linkUrl: string): Promise<string> {
  const token = await newOpenToken(ctx.settings.masterKeys, mail);
  return `<img src="${linkUrl}/t/o/${token}" width="1" height="1" alt="" style="border:0">`;
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
