import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { iso } from "../../lib/time.ts";
import { mainBudgets } from "../../platform/budgets/main-tables.ts";
import { withinBytes } from "../../platform/db/byte-pages.ts";
import type { templates } from "../../platform/db/schema/main/index.ts";
import { BODY_COLUMNS, type Filled, fillContents } from "./contents.ts";
import { PAGE_BYTES } from "./rules.ts";

/** A template with its contents, wherever they are stored. */
export type TemplateRow = Filled<typeof templates.$inferSelect>;

type JsonColumn = "parts" | "variables";
type StoredRow = Omit<typeof templates.$inferSelect, JsonColumn> & Record<JsonColumn, string | null>;

const COLUMNS = `t.id, t.workspace, t.name, t.subject, t.size, t.created_at AS createdAt, t.updated_at AS updatedAt,
         ${BODY_COLUMNS}, t.blocks_json AS inlineBlocks, t.language, t.parts, t.variables`;

const GET = `SELECT ${COLUMNS} FROM templates t WHERE t.id = ?1 AND t.workspace = ?2`;

/** Returns one template of the caller's workspace. Throws 404 for an id that is malformed, unknown or of another workspace. */
export async function getTemplate(ctx: CallerCtx, id: string): Promise<TemplateRow> {
  const uuid = requireFound(parseUuid(id), "Template");
  const [row] = await toRows(ctx, await ctx.db.listRows<StoredRow>(GET, uuid, ctx.workspace.number));
  return requireFound(row, "Template");
}

async function toRows(ctx: CallerCtx, rows: readonly StoredRow[]): Promise<TemplateRow[]> {
  const filled = await fillContents(ctx, rows);
  return filled.map(({ parts, variables, ...row }) => ({
    ...row,
    parts: parts && JSON.parse(parts),
    variables: variables && JSON.parse(variables),
  }));
}

/**
 * Returns SQL for the number of templates of a workspace and their bytes together, of the largest ones when it has more than it may.
 * Reads the index templates_by_size alone, and at most as many of its entries as a workspace may have templates.
 */
export const usedSql = (workspace: string): string => `
  SELECT count(*) AS templates, ifnull(sum(size), 0) AS bytes FROM (
    SELECT t.size FROM templates t WHERE t.workspace = ${workspace} ORDER BY t.size DESC LIMIT ${mainBudgets.templates.rows})`;

/** Position of a template in the list: it follows these values. */
export interface TemplateCursor {
  updatedAt: number;
  id: string;
}

const LIST = `
  SELECT ${COLUMNS}, p.found
    FROM (${withinBytes(
      `SELECT id, size AS bytes FROM templates
        WHERE workspace = ?1 AND (updated_at, id) < (?2, ?3) ORDER BY updated_at DESC, id DESC LIMIT ?4`,
      PAGE_BYTES,
    )}) p CROSS JOIN templates t ON t.id = p.id ORDER BY t.updated_at DESC, t.id DESC`;

/**
 * Returns templates of the caller's workspace, most recently updated first, from the one that follows `after`: at most
 * `limit` of them and about PAGE_BYTES. `next` is the cursor of the next page, or null on the last one.
 */
export async function listTemplates(
  ctx: CallerCtx,
  { after, limit }: { after?: TemplateCursor; limit: number },
): Promise<{ rows: TemplateRow[]; next: TemplateCursor | null }> {
  const { updatedAt, id } = after ?? { updatedAt: Number.MAX_SAFE_INTEGER, id: "" };
  const values = [ctx.workspace.number, updatedAt, id, limit + 1];
  const results = await ctx.db.listRows<StoredRow & { found: number }>(LIST, ...values);
  const rows = await toRows(ctx, results.slice(0, limit));
  const last = rows.at(-1);
  const hasMore = rows.length < (results[0]?.found ?? 0);
  return { rows, next: last && hasMore ? { updatedAt: last.updatedAt, id: last.id } : null };
}

/** A template without its content, to choose from. */
export interface TemplateName {
  id: string;
  name: string;
  subject: string | null;
  updated_at: string;
}

const LIST_NAMES = `
  SELECT id, name, subject, updated_at AS updatedAt FROM templates
   WHERE workspace = ?1 ORDER BY updated_at DESC, id DESC LIMIT ?2`;

/** Returns the names of at most `limit` templates of the caller's workspace, most recently updated first. */
export async function listTemplateNames(ctx: CallerCtx, limit: number): Promise<TemplateName[]> {
  type Row = Pick<TemplateRow, "id" | "name" | "subject" | "updatedAt">;
  const results = await ctx.db.listRows<Row>(LIST_NAMES, ctx.workspace.number, limit);
  return results.map(({ updatedAt, ...row }) => ({ ...row, updated_at: iso(updatedAt) }));
}
