import type { CallerCtx } from "../../../access/caller.ts";
import { checkSize, givenIn } from "../change.ts";
import { checkTexts } from "../check-references.ts";
import { findVariants, getVariant, toVariant } from "./queries.ts";
import type { VariantOut, VariantPatch } from "./schema.ts";
import { requireNewLabel, writeVariants } from "./write.ts";

const UPDATE = `
  UPDATE broadcast_variants SET label = ?3, subject = ?4, weight = ?5, html_body = ?6, text_body = ?7, language = ?8
   WHERE broadcast = ?1 AND id = ?2`;

/**
 * Changes the given fields of a variant of a draft or scheduled broadcast; null is a value. Throws 404, 409 in any other
 * status or for a label that exists, 413 when it becomes too large, 422 with the place of a mistake in its texts.
 */
export function updateVariant(
  ctx: CallerCtx,
  broadcastId: string,
  variantId: string,
  patch: VariantPatch,
): Promise<VariantOut> {
  return writeVariants(ctx, broadcastId, async (broadcast) => {
    const variant = await getVariant(ctx, broadcast, variantId);
    if (patch.label !== undefined && patch.label !== variant.label)
      requireNewLabel(await findVariants(ctx, broadcast.row.n), variant.id, patch.label);
    const changed = { ...variant, ...givenIn(patch) };
    const response = toVariant(broadcast, changed);
    checkSize(response);
    await checkTexts(ctx, { ...changed, language: changed.language ?? broadcast.row.language, preheader: null });
    const { broadcast: n, id, label, subject, weight, html_body, text_body } = changed;
    return {
      statement: ctx.mail.prepare(UPDATE).bind(n, id, label, subject, weight, html_body, text_body, changed.language),
      response,
    };
  });
}
