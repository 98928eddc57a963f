import { forEachAtOnce } from "../../lib/at-once.ts";
import { utf8Length } from "../../lib/bytes.ts";
import type { Ctx, WorkspaceCtx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { repeatObjectCall } from "../../platform/db/repeat-object-call.ts";
import { requireContentSpace } from "../../platform/jobs/shard-sizes.ts";

/** Contents of templates: in their rows, or in R2 above INLINE_BYTES, since all workspaces share the main database. */

/** Greatest size of bodies and blocks that a row has, in bytes. */
const INLINE_BYTES = 16 * 1024;
/** Objects that are read at once. */
const READS_AT_ONCE = 6;

export interface TemplateContents {
  htmlBody: string | null;
  textBody: string | null;
  blocksJson: Record<string, unknown> | null;
}

/** The columns of a row that have its contents, or the key of their object. `inlineBlocks` is absent where no one needs the blocks. */
export interface ContentColumns {
  inlineHtml: string | null;
  inlineText: string | null;
  inlineBlocks?: string | null;
  contentKey: string | null;
}

/** SQL of the columns that `fillContents` needs, of a template `t`, without its blocks. */
export const BODY_COLUMNS = "t.html_body AS inlineHtml, t.text_body AS inlineText, t.content_key AS contentKey";

export type Filled<Row> = Omit<Row, keyof ContentColumns> & TemplateContents & Pick<ContentColumns, "contentKey">;

/**
 * Returns rows with their contents, in the same order. Reads the objects of large ones, READS_AT_ONCE at a time. Their `contentKey` is that
 * of the object which has exactly these contents. Throws for an object that is missing, and when R2 fails three times.
 */
export async function fillContents<Row extends ContentColumns>(
  ctx: Pick<Ctx, "env">,
  rows: readonly Row[],
): Promise<Filled<Row>[]> {
  const objects = new Map<string, TemplateContents>();
  const keys = new Set(rows.flatMap(({ contentKey }) => contentKey ?? []));
  await forEachAtOnce(READS_AT_ONCE, keys, async (key) => {
    const object = await repeatObjectCall(async () => (await ctx.env.CONTENT.get(key))?.json<TemplateContents>());
    if (!object) throw new Error(`the content of a template is missing in R2: ${key}`);
    objects.set(key, object);
  });
  return rows.map(({ inlineHtml, inlineText, inlineBlocks = null, contentKey, ...row }) => {
    const object = objects.get(contentKey ?? "");
    const isInline = inlineHtml !== null || inlineText !== null || inlineBlocks !== null;
    // A version without this column writes bodies into a row whose others are in R2.
    return {
      ...row,
      htmlBody: inlineHtml ?? object?.htmlBody ?? null,
      textBody: inlineText ?? object?.textBody ?? null,
      blocksJson: inlineBlocks === null ? (object?.blocksJson ?? null) : JSON.parse(inlineBlocks),
      contentKey: isInline ? null : contentKey,
    };
  });
}

/**
 * Returns the columns of a template with these contents. Writes large ones to R2 first, unless the object `contentKey` has them already. The
 * sweep deletes the object of an earlier edit, and one whose row was not written. Throws 429 when the workspace has too much in R2.
 */
export async function storeContents(
  ctx: WorkspaceCtx,
  { id, htmlBody, textBody, blocksJson, contentKey }: Filled<{ id: string }>,
): Promise<Required<ContentColumns>> {
  const inlineBlocks = blocksJson && JSON.stringify(blocksJson);
  const isSmall = utf8Length([htmlBody, textBody, inlineBlocks].join("")) <= INLINE_BYTES;
  if (isSmall) return { inlineHtml: htmlBody, inlineText: textBody, inlineBlocks, contentKey: null };
  const key = contentKey ?? r2Keys.template(ctx.workspace.id, id, ctx.newId());
  const object: TemplateContents = { htmlBody, textBody, blocksJson };
  if (contentKey === null) {
    requireContentSpace(ctx);
    await repeatObjectCall(() => ctx.env.CONTENT.put(key, JSON.stringify(object)));
  }
  return { inlineHtml: null, inlineText: null, inlineBlocks: null, contentKey: key };
}
