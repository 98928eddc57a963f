import { type Encoding, type ParsedText, parsePlaceholders, renderPlaceholders } from "../../../lib/placeholders.ts";
import type { Ctx } from "../../../platform/context.ts";
import { newUnsubscribeUrl } from "../../../platform/mail-tokens/index.ts";
import { limits } from "../rules.ts";
import { type ContentDocument, type ContentPlace, findContent } from "./documents.ts";

/** The columns of an email that make shared content personal. */
export interface PersonalRow {
  id: string;
  workspace: number;
  /** JSON object of values by placeholder, or null when the content is the email's own. */
  variables: string | null;
  /** Origin of the link by which the recipient unsubscribes. Absent: that of the service. */
  linkUrl?: string;
}

/** Placeholder of the link with which a recipient unsubscribes; the service sets its value. */
export const UNSUBSCRIBE_URL = "unsubscribe_url";

/** The values of an email make its content longer than an email may be. */
export class RenderedTooLongError extends Error {
  constructor() {
    super(`the content with its variables is longer than ${limits.bodyBytes.toLocaleString("en")} bytes`);
    this.name = "RenderedTooLongError";
  }
}

/** A document that many emails share, with its placeholders located. */
interface SharedContent {
  document: ContentDocument;
  html: ParsedText | null;
  text: ParsedText | null;
}

/** Shared documents that one invocation holds: those of the emails it is sending. */
const MAX_CACHED = 4;
const caches = new WeakMap<Ctx, Map<string, Promise<SharedContent | null>>>();

/** Returns the shared document with the values of one email. Throws RenderedTooLongError. */
export async function readPersonalContent(
  ctx: Ctx,
  place: ContentPlace,
  { id, workspace, linkUrl }: PersonalRow,
  variables: string,
): Promise<ContentDocument | null> {
  const shared = await findShared(ctx, place);
  if (shared === null) return null;
  const { masterKeys, publicUrl } = ctx.settings;
  const url = await newUnsubscribeUrl(masterKeys, { workspace, emailId: id, recipient: 0 }, linkUrl ?? publicUrl);
  const values = { ...(JSON.parse(variables) as Record<string, unknown>), [UNSUBSCRIBE_URL]: url };
  const render = (text: ParsedText | null, encoding: Encoding) => {
    if (text === null) return null;
    const rendered = renderPlaceholders(text, values, encoding, limits.bodyBytes);
    if (rendered === null) throw new RenderedTooLongError();
    return rendered;
  };
  return { ...shared.document, html: render(shared.html, "html"), text: render(shared.text, "text") };
}

/** Reads a shared document once for each invocation. */
function findShared(ctx: Ctx, place: ContentPlace): Promise<SharedContent | null> {
  const cache = caches.get(ctx) ?? new Map<string, Promise<SharedContent | null>>();
  caches.set(ctx, cache);
  const known = cache.get(place.key);
  if (known) return known;
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  const found = findContent(ctx, place).then((document) => document && locate(document));
  cache.set(place.key, found);
  // A failed read must not fail the emails after it.
  found.catch(() => cache.delete(place.key));
  return found;
}

function locate(document: ContentDocument): SharedContent {
  const parse = (text: string | null) => (text === null ? null : parsePlaceholders(text));
  return { document, html: parse(document.html), text: parse(document.text) };
}
