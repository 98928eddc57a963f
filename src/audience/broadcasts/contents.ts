import { utf8, utf8Length } from "../../lib/bytes.ts";
import { parseDisplayAddress } from "../../lib/display-address.ts";
import { LiquidTextError, type Parts, parseLiquid } from "../../lib/liquid/text.ts";
import { type Language, type PersonalText, parsePersonalText } from "../../lib/personal-text.ts";
import { escapeHtml, parsePlaceholders } from "../../lib/placeholders.ts";
import { tryOr } from "../../lib/try-or.ts";
import { textAlternative } from "../../mail/texts/text.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { type ContentDocument, UNSUBSCRIBE_URL } from "../../sending/emails/index.ts";
import { type BodyParts, NO_PARTS, readParts } from "../../sending/templates/index.ts";
import type { BroadcastRow } from "./queries.ts";
import { limits } from "./rules.ts";
import type { VariantRow } from "./variants/queries.ts";

/** Subject and bodies of a variant, or of a broadcast without variants. */
export interface VariantContent {
  /** Number of the variant; 0: the broadcast's own content. */
  variant: number;
  /** Id of the variant, or `own`: the last part of the key in R2. */
  key: string;
  subject: PersonalText;
  document: ContentDocument;
  /** Names of the values that an email stores. */
  names: string[];
}

/** The columns of a broadcast that its contents read. */
export type ContentColumns = Pick<
  BroadcastRow,
  "workspace" | "language" | "subject" | "preheader" | "html_body" | "text_body" | "text_from_html" | "reply_to"
>;

/** A text with its language. */
interface Written {
  text: string;
  language: Language;
}

/** Returns the texts of a broadcast: those of its variants, whose null bodies fall back to its own, or its own when it has no variant. */
function textsOf(row: ContentColumns, variants: readonly VariantRow[]) {
  const own = written(row, row.language);
  if (variants.length === 0) return [{ variant: 0, key: "own", ...own }];
  return variants.map((variant) => {
    const { subject, html, text } = written(variant, variant.language ?? row.language);
    return { variant: variant.n, key: variant.id, subject, html: html ?? own.html, text: text ?? own.text };
  });
}

function written(bodies: Pick<ContentColumns, "subject" | "html_body" | "text_body">, language: Language) {
  const of = (text: string | null): Written | null => (text ? { text, language } : null);
  return { subject: { text: bodies.subject, language }, html: of(bodies.html_body), text: of(bodies.text_body) };
}

/** Returns the names of the templates that a broadcast renders. Throws LiquidTextError. Pure. */
export function partNames(row: ContentColumns, variants: readonly VariantRow[]): string[] {
  const names = textsOf(row, variants).flatMap(({ html, text }) => [html, text].flatMap(partsOf));
  return [...new Set(names)];
}

const partsOf = (body: Written | null): readonly string[] =>
  body?.language === "liquid" ? parseLiquid(body.text, "text").parts : [];

/**
 * Returns the contents of a broadcast (docs/contract/broadcasts.md#sample-and-variants). `parts`: the texts of the templates that it
 * renders. Each html has the preheader, and each body an unsubscribe link. Throws LiquidTextError. Pure.
 */
export function toContents(
  row: ContentColumns,
  variants: readonly VariantRow[],
  parts: BodyParts = NO_PARTS,
): VariantContent[] {
  return textsOf(row, variants).map(({ variant, key, ...texts }) => {
    const subject = parsePersonalText(texts.subject.language, texts.subject.text, "header");
    const html = texts.html && withUnsubscribe(withPreheader(texts.html, row), "html", parts.html);
    const text = texts.text ? withUnsubscribe(texts.text, "text", parts.text) : makeText(row, texts.html, parts.text);
    const replyTo = row.reply_to === null ? null : parseDisplayAddress(row.reply_to);
    const htmlParts = texts.html?.language === "liquid" ? parts.html : null;
    const textParts = text?.language === "liquid" ? parts.text : null;
    const document: ContentDocument = {
      text: text?.source ?? null,
      html: html?.source ?? null,
      headers: [],
      reply_to: replyTo && { email: replyTo.address, name: replyTo.name },
      attachments: [],
      ...(htmlParts || textParts ? { liquid: { html: htmlParts, text: textParts } } : {}),
    };
    const names = new Set([subject, html?.parsed, text?.parsed].flatMap((parsed) => parsed?.names ?? []));
    names.delete(UNSUBSCRIBE_URL);
    return { variant, key, subject, document, names: [...names] };
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

/** Returns the text of a content that has HTML only. Null: the HTML has no text, or its Liquid has no meaning without the markup. */
function makeText({ text_from_html: makes }: ContentColumns, html: Written | null, parts: Parts) {
  const text = makes === 1 && html !== null && keepsTags(html) ? textAlternative(html.text) : null;
  return html && text !== null ? tryOr(() => withUnsubscribe({ ...html, text }, "text", parts), null) : null;
}

/** Character references of a brace, which would begin a placeholder in the text. */
const BRACE = /&(?:#0*123|#x0*7b|lbrace|lcub)(?![a-z\d])/i;

/** Returns whether a text of HTML has its tags of Liquid: without one in a comment or a style, it would show what a condition hides. */
function keepsTags({ text, language }: Written): boolean {
  if (BRACE.test(text)) return false;
  if (language !== "liquid" || !text.includes("{%")) return true;
  // Tags in attributes change only the markup.
  const bare = text.replace(/<([a-z][a-z\d]*)\b[^<>]*>/gi, "<$1>");
  return textAlternative(bare)?.split("{%").length === bare.split("{%").length;
}

const HIDDEN = "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0";

/** Puts the preheader at the start of the body, where mail programs take the text after the subject from. */
function withPreheader(body: Written, { preheader, language }: ContentColumns): Written {
  // A body in another language is that of a variant, whose values the preheader could not name.
  if (!preheader || body.language !== language) return body;
  return { ...body, text: insertInto(body.text, `<div style="${HIDDEN}">${escapeAround(preheader, language)}</div>`) };
}

/** Puts HTML at the start and the end of the body of a document. */
export function insertInto(html: string, start: string, end = ""): string {
  const tag = html.search(/<body\b/i);
  const first = tag < 0 ? 0 : html.indexOf(">", tag) + 1;
  const last = [...html.matchAll(/<\/body\b/gi)].at(-1)?.index ?? html.length;
  return `${html.slice(0, first)}${start}${html.slice(first, last)}${end}${html.slice(last)}`;
}

/** Escapes what is not a placeholder, a tag or an output of Liquid. */
function escapeAround(text: string, language: Language): string {
  if (language === "liquid")
    return text
      .split(/(\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\})/)
      .map((part, index) => (index % 2 === 1 ? part : escapeHtml(part)))
      .join("");
  const parts = parsePlaceholders(text);
  return parts.map((part) => (typeof part === "string" ? escapeHtml(part) : `{{${part.name}}}`)).join("");
}

/** Adds an unsubscribe link to a body that has none. */
function withUnsubscribe({ text, language }: Written, kind: "html" | "text", parts: Parts) {
  const parse = (source: string) => ({ source, language, parsed: parsePersonalText(language, source, kind, parts) });
  // Parsing takes long, so a body that cannot have the link is parsed with it only.
  const own = [text, ...Object.values(parts)].some((one) => one.includes(UNSUBSCRIBE_URL)) ? parse(text) : null;
  if (own?.parsed.names.includes(UNSUBSCRIBE_URL)) return own;
  return parse(kind === "html" ? withLink(text) : `${text}\n\nUnsubscribe: {{${UNSUBSCRIBE_URL}}}\n`);
}

function withLink(html: string): string {
  const link = `<p style="font-size:12px;color:#666"><a href="{{${UNSUBSCRIBE_URL}}}" style="color:#666">Unsubscribe</a></p>`;
  return insertInto(html, "", link);
}

/** Returns the parts of a broadcast as they are now. At most one D1 call. Throws LiquidTextError, also when they are too large. */
export async function currentParts(
  ctx: Pick<MailCtx, "db" | "env">,
  row: ContentColumns,
  variants: readonly VariantRow[],
): Promise<BodyParts> {
  const parts = await readParts(ctx, row.workspace, partNames(row, variants));
  const size = utf8Length(JSON.stringify(parts));
  if (size <= limits.contentBytes) return parts;
  const message = `the templates that it renders are ${size.toLocaleString("en")} bytes as JSON; the limit is ${limits.contentBytes.toLocaleString("en")}`;
  throw new LiquidTextError({ line: 1, column: 1, part: null, message });
}

const FREEZE = "INSERT INTO broadcast_parts (broadcast, workspace, parts) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
const READ = "SELECT parts FROM broadcast_parts WHERE broadcast = ?1";

/**
 * Returns the parts of a broadcast that is sent: those of the first call, whatever becomes of the templates. Runs at the same time get
 * the same ones. Throws LiquidTextError.
 */
export async function frozenParts(
  ctx: MailCtx,
  row: BroadcastRow,
  variants: readonly VariantRow[],
): Promise<BodyParts> {
  if (partNames(row, variants).length === 0) return NO_PARTS;
  const read = async () => (await ctx.mail.findRow<{ parts: string }>(READ, row.n))?.parts;
  const frozen = await read();
  if (frozen !== undefined) return JSON.parse(frozen) as BodyParts;
  const parts = JSON.stringify(await currentParts(ctx, row, variants));
  await ctx.mail.execute(FREEZE, row.n, row.workspace, parts);
  return JSON.parse((await read()) ?? parts) as BodyParts;
}
