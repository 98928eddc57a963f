import { and, eq, sql } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import { mainBudgets } from "../../platform/budgets/main-tables.ts";
import { ConcurrencyError } from "../../platform/db/batch.ts";
import { orm } from "../../platform/db/client.ts";
import { templates } from "../../platform/db/schema/main/index.ts";
import { requireMainSpace } from "../../platform/jobs/shard-sizes.ts";
import { checkSize, templateLimitError } from "./check-size.ts";
import { storeContents } from "./contents.ts";
import { examine } from "./examine.ts";
import { getTemplate, type TemplateRow, usedSql } from "./queries.ts";
import { type TemplateOut, type TemplatePatch, toTemplate } from "./schema.ts";

const MAX_ATTEMPTS = 5;

/**
 * Changes the given fields of a template; null is a value. Throws 404, 413 when the result is too large as a whole, 409 when it grows
 * beyond the bytes of the workspace, ConcurrencyError when other calls keep changing the template meanwhile, and as `examine`.
 */
export async function updateTemplate(ctx: CallerCtx, id: string, patch: TemplatePatch): Promise<TemplateOut> {
  requireMainSpace(ctx);
  let row = await getTemplate(ctx, id);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const changed = applyPatch(row, patch, ctx.now());
    if (changed === null) return toTemplate(row);
    const examined = { ...changed, ...(await examine(ctx, changed, changed.name)) };
    const response = toTemplate(examined);
    const { id: key, workspace, name, subject, language, updatedAt, parts, variables } = examined;
    const values = { name, subject, language, updatedAt, parts, variables, size: checkSize(response) };
    const growth = values.size - row.size;
    const used = sql.raw(`(SELECT bytes FROM (${usedSql("templates.workspace")}))`);
    const fits = growth > 0 ? sql`${used} + ${growth} <= ${mainBudgets.templates.bytes}` : undefined;
    const [written] = await orm(ctx)
      .update(templates)
      .set({ ...values, ...(await storeContents(ctx, examined)) })
      .where(
        and(eq(templates.id, key), eq(templates.workspace, workspace), eq(templates.updatedAt, row.updatedAt), fits),
      )
      .returning({ id: templates.id });
    if (written) return response;
    const current = await getTemplate(ctx, id);
    if (current.updatedAt === row.updatedAt) throw templateLimitError();
    row = current;
  }
  throw new ConcurrencyError();
}

/** Returns the changed row, or null when the patch names no field. */
function applyPatch(row: TemplateRow, patch: TemplatePatch, now: number): TemplateRow | null {
  const changes = {
    ...(patch.language === undefined ? {} : { language: patch.language }),
    ...(patch.name === undefined ? {} : { name: patch.name }),
    ...(patch.subject === undefined ? {} : { subject: patch.subject }),
    // The object does not have these contents.
    ...(patch.html_body === undefined ? {} : { htmlBody: patch.html_body, contentKey: null }),
    ...(patch.text_body === undefined ? {} : { textBody: patch.text_body, contentKey: null }),
    ...(patch.blocks_json === undefined ? {} : { blocksJson: patch.blocks_json, contentKey: null }),
  };
  if (Object.keys(changes).length === 0) return null;
  return { ...row, ...changes, updatedAt: Math.max(now, row.updatedAt + 1) };
}
