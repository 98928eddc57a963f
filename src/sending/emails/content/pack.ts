import { concat, utf8, utf8Length } from "../../../lib/bytes.ts";
import type { Ctx, MailCtx, MailStatement } from "../../../platform/context.ts";
import { ConcurrencyError } from "../../../platform/db/batch.ts";
import { r2Keys, storedKeySql } from "../../../platform/db/r2-keys.ts";
import type { ContentPlace } from "./documents.ts";

/**
 * Least number of emails of one workspace whose content is packed within ten minutes. An R2 put costs as much as 4.5 rows
 * written to D1 (Cloudflare's prices), so that of fewer emails is packed with others of three days.
 */
export const MIN_PACKED_EMAILS = 5;

/** An email whose row holds its content document. */
export interface RowContent {
  n: number;
  id: string;
  /** The document as JSON, with spaces after it. */
  content: string;
}

/** The place in R2 of a document that its row may drop. */
export interface MovedContent extends ContentPlace {
  n: number;
  id: string;
  /** Bytes of the content that the row had then, with the spaces after it: only this content is dropped. */
  rowBytes: number;
}

/** Characters of the random part of an id. It tells apart the packs that a repeated run writes for the same emails. */
const PACK_ID_LENGTH = 12;

/** Start of a stored attachment list. JSON escapes quotes, so no text of a caller contains it. */
const ATTACHMENTS = '"attachments":[{';

/**
 * Writes the documents of emails of one workspace to one R2 object, and returns their places for statements that set
 * `content_key`. The rows stay unchanged, so a crash leaves an object without rows, which retention deletes.
 */
export async function packContents(
  ctx: Ctx,
  workspaceId: string,
  emails: readonly RowContent[],
): Promise<MovedContent[]> {
  // Rows of earlier versions have a document with attachments and an object of their own.
  const packed = emails
    .filter(({ content }) => !content.includes(ATTACHMENTS))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const [first, last] = [packed[0], packed.at(-1)];
  if (!first || !last) return [];
  const key = r2Keys.pack(workspaceId, first.id, last.id, ctx.newId().slice(-PACK_ID_LENGTH));
  // The row has spaces after the document (padding.ts).
  const documents = packed.map(({ content }) => utf8(content.trimEnd()));
  await ctx.env.CONTENT.put(key, concat(documents));
  let offset = 0;
  return packed.map(({ n, id, content }, index) => {
    const size = documents[index]?.byteLength ?? 0;
    const moved = { n, id, key, offset, size, rowBytes: utf8Length(content) };
    offset += size;
    return moved;
  });
}

/**
 * Condition that the row of an email has the content that was packed as `moved`, an SQL expression of JSON. Every erasure of a person
 * makes the content of a row longer (erase-emails.ts), so the place of a copy from before it is not set.
 */
export const hasPackedContentSql = (moved: string): string =>
  `content_key IS NULL AND octet_length(content) = (${moved})->>'rowBytes'`;

// SQLite gives the greatest deleted n to a new email, so the id is compared too.
const SET_CONTENT_KEY = `
  WITH j AS MATERIALIZED (SELECT value FROM json_each(?1))
  UPDATE emails SET content_key = CASE WHEN status = 'queued' THEN j.value->>'key' ELSE ${storedKeySql("j.value->>'key'")} END,
    content_offset = j.value->>'offset', content_size = j.value->>'size',
    content = NULL
  FROM j WHERE emails.n = j.value->>'n' AND emails.id = j.value->>'id' AND ${hasPackedContentSql("j.value")}`;

/** Returns the statement that sets the place of moved content and drops the copy in the row. Safe to run twice. */
export function setContentKeyStatement(ctx: Pick<MailCtx, "mail">, moved: readonly MovedContent[]): MailStatement {
  return ctx.mail.prepare(SET_CONTENT_KEY).bind(JSON.stringify(moved));
}

const FIND_SET = `
  SELECT e.n FROM json_each(?1) j CROSS JOIN emails e ON e.n = j.value->>'n' AND e.id = j.value->>'id'
   WHERE e.content_key IN (j.value->>'key', ${storedKeySql("j.value->>'key'")}) AND e.content_offset = j.value->>'offset'`;

/**
 * Removes packed content whose place no email has: its row changed while it was packed, because a person was erased or the email deleted.
 * Holds one pack at a time, of at most 4 MB. Throws ConcurrencyError when an object changed meanwhile.
 */
export async function blankUnset(ctx: MailCtx, moved: readonly MovedContent[]): Promise<void> {
  const results = await ctx.mail.listRows<{ n: number }>(FIND_SET, JSON.stringify(moved));
  const set = new Set(results.map(({ n }) => n));
  const unset = moved.filter(({ n }) => !set.has(n));
  for (const [key, contents] of Map.groupBy(unset, (content) => content.key)) await blank(ctx, key, contents);
}

async function blank(ctx: MailCtx, key: string, contents: readonly MovedContent[]): Promise<void> {
  await rewritePack(ctx, key, (bytes) => {
    for (const { offset, size } of contents) bytes.fill(SPACE, offset, offset + size);
    return bytes;
  });
}

const SPACE = 0x20;

/** A part of a pack, in bytes. */
type PackRange = { offset: number; size: number };

/** Replaces all of a pack by spaces, except the ranges that emails name. Throws ConcurrencyError when it changed meanwhile. */
export async function blankExcept(ctx: Pick<Ctx, "env">, key: string, named: readonly PackRange[]): Promise<void> {
  await rewritePack(ctx, key, (bytes) => {
    const kept = new Uint8Array(bytes.byteLength).fill(SPACE);
    for (const { offset, size } of named) kept.set(bytes.subarray(offset, offset + size), offset);
    return kept;
  });
}

async function rewritePack(
  { env }: Pick<Ctx, "env">,
  key: string,
  change: (bytes: Uint8Array) => Uint8Array,
): Promise<void> {
  const object = await env.CONTENT.get(key);
  if (!object) return;
  const bytes = change(new Uint8Array(await object.arrayBuffer()));
  const put = await env.CONTENT.put(key, bytes, { onlyIf: { etagMatches: object.etag } });
  if (put === null) throw new ConcurrencyError();
}
