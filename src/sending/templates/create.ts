import type { CallerCtx } from "../../access/caller.ts";
import { mainBudgets } from "../../platform/budgets/main-tables.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { requireMainSpace } from "../../platform/jobs/shard-sizes.ts";
import { checkSize, templateLimitError } from "./check-size.ts";
import { storeContents, type TemplateContents } from "./contents.ts";
import { examine } from "./examine.ts";
import { type TemplateRow, usedSql } from "./queries.ts";
import { type TemplateIn, type TemplateOut, toTemplate } from "./schema.ts";

const budget = mainBudgets.templates;

const INSERT = `
  INSERT INTO templates (id, workspace, name, subject, size, created_at, updated_at, html_body, text_body, blocks_json,
    content_key, language, parts, variables)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13 FROM (${usedSql("?2")}) used
   WHERE used.templates < ?14 AND used.bytes + ?5 <= ?15`;

/** Creates a template. Throws 413 when it is too large as a whole, 409 at the limits of the workspace, and as `examine`. */
export function createTemplate(ctx: CallerCtx, input: TemplateIn): Promise<TemplateOut> {
  return insertTemplate(ctx, {
    name: input.name,
    language: input.language ?? "placeholders",
    subject: input.subject ?? null,
    htmlBody: input.html_body ?? null,
    textBody: input.text_body ?? null,
    blocksJson: input.blocks_json ?? null,
  });
}

/** Inserts a template with a new id, and stores the response of the request. */
export async function insertTemplate(
  ctx: CallerCtx,
  content: Pick<TemplateRow, "name" | "language" | "subject" | keyof TemplateContents>,
): Promise<TemplateOut> {
  requireMainSpace(ctx);
  const now = ctx.now();
  const examined = await examine(ctx, content, content.name);
  const own = { id: ctx.newId(), workspace: ctx.workspace.number, createdAt: now, updatedAt: now };
  const row = { ...content, ...examined, ...own };
  const response = toTemplate(row);
  const size = checkSize(response);
  const stored = await storeContents(ctx, { ...row, contentKey: null });
  const values = [
    ...[row.id, row.workspace, row.name, row.subject, size, now],
    ...[stored.inlineHtml, stored.inlineText, stored.inlineBlocks, stored.contentKey, row.language],
    ...[row.parts && JSON.stringify(row.parts), row.variables && JSON.stringify(row.variables)],
  ];
  // A concurrent call with the same Idempotency-Key ends in the 409 too, after which it replays.
  await guardedBatch(ctx.db, [
    ctx.db.prepare(INSERT).bind(...values, budget.rows, budget.bytes),
    expectChanges(ctx.db, 1),
    ...(await storeResponse(ctx, response)),
  ]).catch(onConcurrency(() => templateLimitError()));
  return response;
}
