import { chunks } from "../../lib/chunks.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import { type Language, type PersonalText, parsePersonalText } from "../../lib/personal-text.ts";
import type { Values } from "../../lib/placeholders.ts";
import type { MailCtx } from "../../platform/context.ts";
import { MAX_TARGET_BYTES } from "../../platform/mail-tokens/tracking.ts";
import { decodeValue } from "./attributes.ts";
import { MAX_TRACKED_LINKS } from "./track-html.ts";

/** A variant of a broadcast; 0 is the broadcast's own content. */
type Variant = { broadcast: number; variant: number };

/** A target with values in it, as its author wrote it. */
interface AuthoredLink {
  text: string;
  parsed: PersonalText;
}

const FIND_HTML = `
  SELECT b.n AS broadcast, j.value->>'variant' AS variant,
         CASE WHEN coalesce(v.html_body, '') <> '' THEN v.html_body ELSE b.html_body END AS html,
         CASE WHEN coalesce(v.html_body, '') <> '' THEN coalesce(v.language, b.language) ELSE b.language END AS language
    FROM json_each(?1) j CROSS JOIN broadcasts b ON b.n = j.value->>'broadcast'
    LEFT JOIN broadcast_variants v ON v.broadcast = b.n AND v.n = j.value->>'variant'`;

/** Variants that one call reads: each has up to 1 MB. */
const VARIANTS_PER_CALL = 4;
/** Variants whose links an isolate keeps. The content of a broadcast does not change once it is sent. */
const MAX_CACHED = 100;
const cache = new Map<string, readonly AuthoredLink[]>();

/**
 * Returns a function that finds the link of a clicked URL as its author wrote it, for links with placeholders of these
 * variants. One D1 call for every VARIANTS_PER_CALL that this isolate does not know.
 */
export async function findAuthoredLinks(ctx: MailCtx, variants: readonly Variant[]) {
  const keyOf = ({ broadcast, variant }: Variant) => `${ctx.shard} ${broadcast} ${variant}`;
  const unknown = new Map(variants.filter((one) => !cache.has(keyOf(one))).map((one) => [keyOf(one), one]));
  for (const group of chunks([...unknown.values()], VARIANTS_PER_CALL)) {
    type Row = Variant & { html: string | null; language: Language };
    const results = await ctx.mail.listRows<Row>(FIND_HTML, JSON.stringify(group));
    for (const { html, language, ...variant } of results) {
      const [oldest] = cache.keys();
      if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
      cache.set(keyOf(variant), readLinks(html ?? "", language));
    }
  }
  return (of: Variant, url: string, values: Values): string | undefined =>
    cache.get(keyOf(of))?.find(({ parsed }) => targetOf(parsed, values) === url)?.text;
}

/** Returns the target of a link with the values of an email; null when it has none. A link that tells the time is not found again. */
function targetOf(parsed: PersonalText, values: Values): string | null {
  try {
    return parsed.render({ values, now: 0 }, MAX_TARGET_BYTES);
  } catch (error) {
    if (error instanceof LiquidTextError) return null;
    throw error;
  }
}

/** Returns the targets of a document that have values in them. */
function readLinks(html: string, language: Language): AuthoredLink[] {
  const targets = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)].flatMap((match) => {
    const raw = match[1] ?? match[2] ?? match[3] ?? "";
    return raw.includes("{{") ? decodeValue(raw) : [];
  });
  return [...new Set(targets)].slice(0, MAX_TRACKED_LINKS).flatMap((text) => parseLink(text, language));
}

/** Part of a Liquid text may be no text of its own: its links are counted by what they became. */
function parseLink(text: string, language: Language): AuthoredLink[] {
  try {
    return [{ text, parsed: parsePersonalText(language, text, "text") }];
  } catch (error) {
    if (error instanceof LiquidTextError) return [];
    throw error;
  }
}
