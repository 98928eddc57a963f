import { utf8, utf8Length } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import { escapeHtml } from "../../lib/placeholders.ts";
import { readChunks } from "../../lib/read-chunks.ts";
import { iso } from "../../lib/time.ts";
import { partsShownIn } from "../../mail/messages/bodies.ts";
import { readHeader } from "../../mail/messages/header.ts";
import { type ParsedMessage, parseChunks, readText } from "../../mail/messages/parse.ts";
import type { MessagePart } from "../../mail/messages/parts.ts";
import { bounds as messageBounds } from "../../mail/messages/rules.ts";
import { htmlToText, joinTexts } from "../../mail/texts/text.ts";
import { addDeliveryStatements } from "../../notices/webhooks/index.ts";
import type { MailCtx } from "../../platform/context.ts";
import { wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { linkToFile } from "./file-link.ts";
import { type Forward, type ForwardResult, failed } from "./types.ts";

const EVENT = "email.inbound.forwarded";

/** Characters of text and of HTML, and bytes of the header, in a request. */
const MAX_TEXT = 100_000;
const MAX_HEADER = 64_000;
/** Bytes of each of these as JSON, and of the list of files: a delivery is one row of at most 2,000,000 bytes. */
const MAX_TEXT_BYTES = 300_000;
const MAX_FIELDS_BYTES = 400_000;
const MAX_FILES_BYTES = 900_000;

const FIND_RULE =
  "SELECT 1 FROM forwarding_rules WHERE id = ?1 AND workspace = ?2 AND is_active = 1 AND action = 'webhook'";

/** Writes the delivery that posts an email to the URL of its rule; repeated, it adds none (docs/contract/inbound.md#forwards-to-a-url). */
export async function postForward(ctx: MailCtx, { forward }: { forward: Forward }): Promise<ForwardResult> {
  const { rule, workspace, inbound } = forward;
  const isActive = await ctx.db.findRow(FIND_RULE, rule, workspace);
  if (!isActive || rule === null) return failed("the rule was deleted or disabled");
  const source = await ctx.env.CONTENT.get(forward.object);
  if (!source) return failed("the email was deleted before it was forwarded");
  const parsed = await parseChunks(readChunks(source.body));
  const timestamp = iso(forward.receivedAt);
  const metadata = await describe(ctx, forward.object, parsed);
  const payload = { event: EVENT, email_id: inbound, recipient: forward.address, timestamp, metadata };
  const delivery = {
    // Equal for each attempt, of which the row has another id.
    id: await uuidFromHash(utf8(`webhook ${inbound} ${rule}`)),
    workspace,
    endpoint: rule,
    webhookId: null,
    email: inbound,
    eventType: EVENT,
    payload: JSON.stringify(payload),
    isForced: false,
  };
  await ctx.mail.batch(addDeliveryStatements(ctx, delivery));
  await wakeWebhooks(ctx);
  return { kind: "done", event: "forwarded", metadata: {} };
}

/** Returns what the request says about an email: its text, its header and links to its files. */
async function describe(ctx: MailCtx, object: string, parsed: ParsedMessage) {
  const { parts } = parsed;
  const textOf = async (view: "text" | "html") => {
    const shown = partsShownIn(parts, view);
    if (!shown.some(({ use }) => use === view)) return null;
    const texts = await Promise.all(shown.map((part) => readShown(ctx, object, part, view)));
    return cutText(joinTexts(texts).slice(0, MAX_TEXT), MAX_TEXT_BYTES);
  };
  const files = parts.filter(({ use }) => use === "attachment" || use === "inline");
  const headBytes = Math.min(parsed.headerSize, messageBounds.headerBytes, MAX_HEADER);
  const [text, html, head] = await Promise.all([textOf("text"), textOf("html"), readRange(ctx, object, 0, headBytes)]);
  const linked = await Promise.all(
    files.map(async (part) => {
      const { filename, contentType, size } = part;
      return { filename, content_type: contentType, size, url: await linkToFile(ctx, object, part) };
    }),
  );
  const attachments = cutList(linked, MAX_FILES_BYTES);
  const omitted = linked.length - attachments.length;
  const { fields, isCut } = readHeader(head);
  const headers = cutList(fields, MAX_FIELDS_BYTES);
  return {
    from: parsed.from?.email ?? null,
    subject: parsed.subject,
    message_id: parsed.messageId,
    text,
    html,
    headers,
    ...(isCut || headBytes < parsed.headerSize || headers.length < fields.length ? { headers_truncated: true } : {}),
    attachments,
    ...(omitted > 0 ? { attachments_omitted: omitted } : {}),
  };
}

/** Reads a part that is shown as text or as HTML. It may be of the other type. At most `messageBounds.shownParts` of each. */
async function readShown(ctx: MailCtx, object: string, part: MessagePart, view: "text" | "html"): Promise<string> {
  const body = await readRange(ctx, object, part.at, Math.min(part.length, 4 * MAX_TEXT));
  const text = readText(body, part, 4 * MAX_TEXT).slice(0, MAX_TEXT);
  if (part.use === view) return text;
  return view === "text" ? htmlToText(text, MAX_TEXT).trim() : `<pre>${escapeHtml(text)}</pre>`;
}

async function readRange({ env }: MailCtx, key: string, offset: number, length: number): Promise<Uint8Array> {
  // R2 refuses an empty range.
  if (length === 0) return new Uint8Array();
  const object = await env.CONTENT.get(key, { range: { offset, length } });
  if (!object) throw new Error("the email was deleted while it was read");
  return object.bytes();
}

/** Returns the beginning of a text whose JSON has at most `maxBytes`: each control character takes six. */
function cutText(text: string, maxBytes: number): string {
  let cut = text;
  for (let bytes = jsonBytes(cut); bytes > maxBytes; bytes = jsonBytes(cut))
    cut = cut.slice(0, Math.floor(cut.length * Math.min(0.9, maxBytes / bytes)));
  return cut;
}

/** Returns the first items whose JSON has at most `maxBytes` together. */
function cutList<Item>(items: readonly Item[], maxBytes: number): Item[] {
  let bytes = 2;
  const first = items.findIndex((item) => {
    bytes += jsonBytes(item) + 1;
    return bytes > maxBytes;
  });
  return first === -1 ? [...items] : items.slice(0, first);
}

const jsonBytes = (value: unknown) => utf8Length(JSON.stringify(value));
