import { utf8 } from "../../lib/bytes.ts";
import { parseDisplayAddress } from "../../lib/display-address.ts";
import { escapeHtml, type ParsedText, parsePlaceholders, placeholderNames } from "../../lib/placeholders.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { type ContentDocument, UNSUBSCRIBE_URL } from "../../sending/emails/index.ts";
import type { BroadcastRow } from "./queries.ts";
import type { VariantRow } from "./variants/queries.ts";

/** Subject and bodies of a variant, or of a broadcast without variants. */
export interface VariantContent {
  /** Number of the variant; 0: the broadcast's own content. */
  variant: number;
  /** Id of the variant, or `own`: the last part of the key in R2. */
  key: string;
  subject: ParsedText;
  document: ContentDocument;
  /** Names of the placeholders whose values an email stores. */
  names: string[];
}

type Bodies = Pick<BroadcastRow, "subject" | "html_body" | "text_body">;

/**
 * Returns the contents of a broadcast: those of its variants, whose null bodies fall back to its own, or its own when it has no
 * variant (docs/contract/broadcasts.md#sample-and-variants). Each html has the preheader, and each body an unsubscribe link.
 * Pure.
 */
export function toContents(row: BroadcastRow, variants: readonly VariantRow[]): VariantContent[] {
  const own = { variant: 0, key: "own", bodies: row as Bodies };
  const ofVariants = variants.map((variant) => ({
    variant: variant.n,
    key: variant.id,
    bodies: {
      subject: variant.subject,
      html_body: variant.html_body || row.html_body,
      text_body: variant.text_body || row.text_body,
    },
  }));
  return (ofVariants.length > 0 ? ofVariants : [own]).map(({ variant, key, bodies }) => {
    const subject = parsePlaceholders(bodies.subject);
    const html = bodies.html_body ? withUnsubscribeHtml(withPreheader(bodies.html_body, row.preheader)) : null;
    const text = bodies.text_body ? withUnsubscribeText(bodies.text_body) : null;
    const replyTo = row.reply_to === null ? null : parseDisplayAddress(row.reply_to);
    const document: ContentDocument = {
      text,
      html,
      headers: [],
      reply_to: replyTo && { email: replyTo.address, name: replyTo.name },
      attachments: [],
    };
    const names = placeholderNames(subject, parsePlaceholders(html ?? ""), parsePlaceholders(text ?? ""));
    return { variant, key, subject, document, names: names.filter((name) => name !== UNSUBSCRIBE_URL) };
  });
}

/** Returns whether every content of a broadcast has a body. */
export function hasContent(contents: readonly VariantContent[]): boolean {
  return contents.every(({ document }) => document.html !== null || document.text !== null);
}

/** A content that is stored in R2. */
export interface StoredContent extends VariantContent {
  contentKey: string;
  contentSize: number;
}

/** Writes the contents of a broadcast to R2. Writing them again changes nothing. */
export async function storeContents(
  ctx: Ctx,
  workspaceId: string,
  broadcastId: string,
  contents: readonly VariantContent[],
): Promise<void> {
  for (const { contentKey, document } of toStored(workspaceId, broadcastId, contents))
    await ctx.env.CONTENT.put(contentKey, utf8(JSON.stringify(document)));
}

/** Returns the contents with their place in R2. */
export function toStored(
  workspaceId: string,
  broadcastId: string,
  contents: readonly VariantContent[],
): StoredContent[] {
  return contents.map((content) => ({
    ...content,
    contentKey: r2Keys.broadcast(workspaceId, broadcastId, content.key),
    contentSize: utf8(JSON.stringify(content.document)).byteLength,
  }));
}

const HIDDEN = "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0";

/** Puts the preheader at the start of the body, where mail programs take the text after the subject from. */
function withPreheader(html: string, preheader: string | null): string {
  if (!preheader) return html;
  const parts = parsePlaceholders(preheader);
  const text = parts.map((part) => (typeof part === "string" ? escapeHtml(part) : `{{${part.name}}}`)).join("");
  const tag = /<body\b[^>]*>/i.exec(html);
  const at = tag === null ? 0 : tag.index + tag[0].length;
  return `${html.slice(0, at)}<div style="${HIDDEN}">${text}</div>${html.slice(at)}`;
}

const hasUnsubscribe = (text: string) => placeholderNames(parsePlaceholders(text)).includes(UNSUBSCRIBE_URL);

function withUnsubscribeHtml(html: string): string {
  if (hasUnsubscribe(html)) return html;
  const link = `<p style="font-size:12px;color:#666"><a href="{{${UNSUBSCRIBE_URL}}}" style="color:#666">Unsubscribe</a></p>`;
  const end = [...html.matchAll(/<\/body\b/gi)].at(-1)?.index ?? html.length;
  return `${html.slice(0, end)}${link}${html.slice(end)}`;
}

function withUnsubscribeText(text: string): string {
  return hasUnsubscribe(text) ? text : `${text}\n\nUnsubscribe: {{${UNSUBSCRIBE_URL}}}\n`;
}
