import type { CallerCtx } from "../../../access/caller.ts";
import { BudgetSpentError, budgetOf } from "../../../platform/budgets/spent.ts";
import { checkSize } from "../change.ts";
import { checkTexts } from "../check-references.ts";
import { zeroCounts } from "../counts.ts";
import { findVariants, toVariant, type VariantRow } from "./queries.ts";
import type { VariantIn, VariantOut } from "./schema.ts";
import { requireNewLabel, writeVariants } from "./write.ts";

const INSERT = `
  INSERT INTO broadcast_variants (workspace, broadcast, id, label, subject, weight, created_at, html_body, text_body,
    language)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`;

/**
 * Adds a variant to a draft or scheduled broadcast. Throws 404, 409 in any other status, for a label that exists, or
 * beyond the limit of variants, 413 when it is too large, 422 with the place of a mistake in its texts.
 */
export function createVariant(ctx: CallerCtx, broadcastId: string, input: VariantIn): Promise<VariantOut> {
  return writeVariants(ctx, broadcastId, async (broadcast) => {
    const { n, workspace } = broadcast.row;
    const variants = await findVariants(ctx, n);
    if (variants.length >= budgetOf("broadcast_variants").rows)
      throw new BudgetSpentError("broadcast_variants", variants.length);
    requireNewLabel(variants, "", input.label);
    const variant: VariantRow = {
      n: 0,
      workspace,
      broadcast: n,
      id: ctx.newId(),
      label: input.label,
      language: input.language ?? null,
      subject: input.subject,
      weight: input.weight,
      created_at: ctx.now(),
      html_body: input.html_body ?? null,
      text_body: input.text_body ?? null,
      ...zeroCounts,
    };
    const response = toVariant(broadcast, variant);
    checkSize(response);
    await checkTexts(ctx, { ...variant, language: variant.language ?? broadcast.row.language, preheader: null });
    const { id, label, subject, weight, created_at, html_body, text_body } = variant;
    const values = [workspace, n, id, label, subject, weight, created_at, html_body, text_body];
    return {
      statement: ctx.mail.prepare(INSERT).bind(...values, variant.language),
      response,
    };
  });
}
