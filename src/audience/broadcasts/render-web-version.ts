import { fromBase64Url } from "../../lib/bytes.ts";
import { onError } from "../../lib/errors.ts";
import { hex, uuidOf } from "../../lib/ids.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import { escapeHtml, textAsHtml } from "../../lib/placeholders.ts";
import { type Brand, readBrand } from "../../platform/brands/brand.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { frameOf } from "../../sending/system-emails/index.ts";
import { currentParts, frozenParts, insertInto, toContents } from "./contents.ts";
import { WEB_VERSION_URL } from "./new-email.ts";
import { findBroadcast } from "./queries.ts";
import { renderContent } from "./render-content.ts";
import { isEditable } from "./rules.ts";
import { findVariants } from "./variants/queries.ts";

const FIND = "SELECT n FROM broadcasts WHERE workspace = ?1 AND id = ?2 AND substr(web_version_url, -52) = ?3";
/** Bytes of a token: number of the workspace (6), id of the broadcast (16), random (17). */
const TOKEN_BYTES = 39;

/**
 * Returns the content of a broadcast as a stranger sees it, between the brand of its sender: without values of contacts, and without links
 * to unsubscribe. Of variants, it is that of the winner, or else the first. Null: the address leads to none, or its content has a mistake.
 */
export const renderWebVersion = (ctx: Ctx, token: string): Promise<string | null> =>
  render(ctx, token).catch(onError(LiquidTextError, () => null));

async function render(ctx: Ctx, token: string): Promise<string | null> {
  const bytes = fromBase64Url(token);
  if (bytes?.length !== TOKEN_BYTES) return null;
  const workspace = Number.parseInt(hex(bytes.subarray(0, 6)), 16);
  const [mailCtx, brand] = [await onShardOf(ctx, workspace), await readBrand(ctx, workspace)];
  const n = await mailCtx?.mail.findValue<number>(FIND, workspace, uuidOf(bytes.subarray(6, 22)), token);
  const broadcast = mailCtx && n ? await findBroadcast(mailCtx, n) : null;
  if (!mailCtx || !broadcast || !brand) return null;
  const { row } = broadcast;
  const variants = await findVariants(mailCtx, row.n);
  const shown = variants.find(({ id }) => id === row.ab_winner_variant_id) ?? variants[0];
  const parts = await (isEditable(row.status) ? currentParts : frozenParts)(mailCtx, row, variants);
  const [content] = toContents(row, shown ? [shown] : [], parts);
  if (!content) return null;
  const rendering = { values: { [WEB_VERSION_URL]: row.web_version_url }, now: row.sent_at ?? ctx.now() };
  const { subject, html, text } = renderContent(content, rendering);
  return withoutEmptyLinks(framed(html ?? textAsHtml(text ?? ""), subject, brand));
}

const STYLE = "max-width:600px;margin:0 auto;padding:16px;font:14px/1.5 system-ui,sans-serif";

/** Puts the title, and the brand above and below the content. The empty icon keeps browsers from loading that of this service. */
function framed(html: string, subject: string, brand: Brand): string {
  const { head, foot, color } = frameOf({ brand, origin: "", language: "en" });
  const line = color ? `;border-bottom:3px solid ${color}` : "";
  const start = `<title>${escapeHtml(subject)}</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><div style="${STYLE}${line}"><b>${head}</b></div>`;
  return insertInto(html, start, `<div style="${STYLE}">${foot}</div>`);
}

/** Removes the links that are a person's: without values they lead nowhere. */
const withoutEmptyLinks = (html: string): Promise<string> =>
  new HTMLRewriter()
    .on('a[href=""]', { element: (link) => void link.remove() })
    .transform(new Response(html))
    .text();
