import { timeOfId } from "../../../lib/ids.ts";
import { parsingWork } from "../../../lib/liquid/meter.ts";
import { LiquidTextError } from "../../../lib/liquid/text.ts";
import { type PersonalText, parsePersonalText, type Rendering } from "../../../lib/personal-text.ts";
import type { Ctx } from "../../../platform/context.ts";
import { spendWork } from "../../../platform/db/count-statements.ts";
import { newUnsubscribeUrl } from "../../../platform/mail-tokens/return-path.ts";
import { limits } from "../rules.ts";
import { type ContentDocument, type ContentPlace, findContent } from "./documents.ts";

/** The columns of an email that make shared content personal. */
export interface PersonalRow {
  id: string;
  workspace: number;
  /** JSON object of values by name, or null when the content is the email's own. */
  variables: string | null;
  /** Origin of the link by which the recipient unsubscribes. Absent: that of the service. */
  linkUrl?: string;
}

/** Name of the value that is the link with which a recipient unsubscribes; the service sets its value. */
export const UNSUBSCRIBE_URL = "unsubscribe_url";

/** Name of a stored value: why the subject could not be rendered. No name of a value begins with a space. */
export const SUBJECT_ISSUE = " subject";

/** The content cannot be rendered with the values of the email. */
export class UnrenderableError extends Error {
  override name = "UnrenderableError";
}

/** A document that many emails share, parsed. */
interface SharedContent {
  document: ContentDocument;
  html: PersonalText | null;
  text: PersonalText | null;
}

/** Shared documents that one invocation holds: those of the emails it is sending. */
const MAX_CACHED = 4;
const caches = new WeakMap<Ctx, Map<string, Promise<SharedContent | null>>>();

/** Returns the shared document with the values of one email, as of the time of the email. Throws UnrenderableError. */
export async function readPersonalContent(
  ctx: Ctx,
  place: ContentPlace,
  { id, workspace, linkUrl }: PersonalRow,
  variables: string,
): Promise<ContentDocument | null> {
  const shared = await findShared(ctx, place);
  if (shared === null) return null;
  const stored = JSON.parse(variables) as Record<string, unknown>;
  if (typeof stored[SUBJECT_ISSUE] === "string") throw new UnrenderableError(`the subject: ${stored[SUBJECT_ISSUE]}`);
  const { masterKeys, publicUrl } = ctx.settings;
  const url = await newUnsubscribeUrl(masterKeys, { workspace, emailId: id, recipient: 0 }, linkUrl ?? publicUrl);
  const rendering = { values: { ...stored, [UNSUBSCRIBE_URL]: url }, now: timeOfId(id), budget: ctx.limits };
  const { liquid: _, ...document } = shared.document;
  return { ...document, html: render(shared.html, rendering), text: render(shared.text, rendering) };
}

function render(text: PersonalText | null, rendering: Rendering): string | null {
  if (text === null) return null;
  try {
    const rendered = text.render(rendering, limits.bodyBytes);
    if (rendered !== null) return rendered;
  } catch (error) {
    if (error instanceof LiquidTextError) throw new UnrenderableError(`the content: ${error.message}`);
    throw error;
  }
  throw new UnrenderableError(
    `the content with its variables is longer than ${limits.bodyBytes.toLocaleString("en")} bytes`,
  );
}

/** Reads a shared document once for each invocation. */
function findShared(ctx: Ctx, place: ContentPlace): Promise<SharedContent | null> {
  const cache = caches.get(ctx) ?? new Map<string, Promise<SharedContent | null>>();
  caches.set(ctx, cache);
  const known = cache.get(place.key);
  if (known) return known;
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  const found = findContent(ctx, place).then((document) => document && locate(ctx, place, document));
  cache.set(place.key, found);
  // A failed read must not fail the emails after it.
  found.catch(() => cache.delete(place.key));
  return found;
}

function locate(ctx: Ctx, { size }: ContentPlace, document: ContentDocument): SharedContent {
  const { liquid } = document;
  if (liquid) spendWork(ctx, parsingWork(size));
  const parse = (text: string | null, encoding: "html" | "text") => {
    const parts = liquid?.[encoding];
    return text === null ? null : parsePersonalText(parts ? "liquid" : "placeholders", text, encoding, parts ?? {});
  };
  return { document, html: parse(document.html, "html"), text: parse(document.text, "text") };
}
