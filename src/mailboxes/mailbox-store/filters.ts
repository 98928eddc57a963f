import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import type { Filter, FilterAction, FilterMaker, FilterMatch } from "./filter-rules.ts";
import { findFolder } from "./folders.ts";
import { all, first, type Sql } from "./sql.ts";

interface FilterRow extends Pick<Filter, "id" | "name" | "position"> {
  match: string;
  actions: string;
  is_active: number;
  created_at: number;
  updated_at: number;
}

/** An action as a caller gives it: its folder has a name only. */
export type FilterActionIn = Exclude<FilterAction, { type: "move" }> | { type: "move"; folder: string };

export interface FilterIn extends Pick<Filter, "id" | "name" | "match" | "isActive"> {
  actions: FilterActionIn[];
  /** Null: after all others. */
  position: number | null;
}

/** Changes of a filter. `maker` becomes that of its forwards. */
export type FilterChanges = { [Field in keyof Omit<FilterIn, "id">]?: FilterIn[Field] | undefined } & {
  maker: FilterMaker | null;
};

export type FilterResult = { filter: Filter } | { refused: "too-many" | "unknown" | "no-folder" | "no-label" };

const COLUMNS = "id, name, match, actions, position, is_active, created_at, updated_at";
/** SQL: the filters that are applied, in their order. */
const ACTIVE = "FROM filters WHERE is_active = 1 ORDER BY position, id";

/** Returns the filters of a mailbox in the order in which they are applied. */
export function listFilters(sql: Sql): Filter[] {
  const folders = folderNames(sql);
  return all<FilterRow>(sql, `SELECT ${COLUMNS} FROM filters ORDER BY position, id`).map((row) =>
    toFilter(row, folders),
  );
}

const NO_NAMES: ReadonlyMap<number, string> = new Map();

/** Returns the filters that are applied, in their order. Their folders have the names that they had when the filters were saved. */
export const activeFilters = (sql: Sql): Filter[] =>
  all<FilterRow>(sql, `SELECT ${COLUMNS} ${ACTIVE}`).map((row) => toFilter(row, NO_NAMES));

/**
 * Returns the filters that are on and were made to forward in this workspace, by its number, with these forwards, in their order. `lastUsedAt`:
 * when they last took a message to forward, in ms since 1970, or null.
 */
export function forwardingFilters(sql: Sql, workspace: number) {
  type Row = Pick<FilterRow, "id" | "name" | "actions"> & { lastUsedAt: number | null };
  const rows = all<Row>(sql, `SELECT id, name, actions, forwarded_at AS lastUsedAt ${ACTIVE}`);
  return rows.flatMap(({ actions, ...filter }) => {
    const known = JSON.parse(actions) as FilterAction[];
    const forwards = known.flatMap((one) => (one.type === "forward" && one.workspace === workspace ? [one] : []));
    return forwards.length === 0 ? [] : [{ ...filter, forwards }];
  });
}

/** Records that these filters took a message that they forward. `now` in ms since 1970. */
export function recordForwards(sql: Sql, forwards: readonly { filter: string }[], now: number): void {
  for (const { filter } of forwards) sql.exec("UPDATE filters SET forwarded_at = ? WHERE id = ?", now, filter);
}

/** Returns a filter, or null. */
export function findFilter(sql: Sql, id: string): Filter | null {
  const row = first<FilterRow>(sql, `SELECT ${COLUMNS} FROM filters WHERE id = ?`, id);
  return row && toFilter(row, folderNames(sql));
}

/** Creates a filter. Must run in a transaction. `now` in ms since 1970. */
export function createFilter(sql: Sql, input: FilterIn, now: number): FilterResult {
  const find = "SELECT count(*) AS count, coalesce(max(position) + 1, 0) AS next FROM filters";
  const { count = 0, next = 0 } = first<{ count: number; next: number }>(sql, find) ?? {};
  if (count >= mailboxBudgets.filters.rows) return { refused: "too-many" };
  const actions = resolve(sql, input.actions);
  if ("refused" in actions) return actions;
  const { id, name, match, isActive } = input;
  sql.exec(
    `INSERT INTO filters (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, name, JSON.stringify(match), JSON.stringify(actions.actions), input.position ?? next],
    ...[isActive ? 1 : 0, now, now],
  );
  return saved(sql, id);
}

/** Changes the given fields of a filter. Must run in a transaction. `now` in ms since 1970. */
export function updateFilter(sql: Sql, id: string, changes: FilterChanges, now: number): FilterResult {
  const known = findFilter(sql, id);
  if (!known) return { refused: "unknown" };
  const actions = changes.actions
    ? resolve(sql, changes.actions)
    : { actions: known.actions.map((one) => (one.type === "forward" ? { ...one, maker: changes.maker } : one)) };
  if ("refused" in actions) return actions;
  const { name = known.name, match = known.match, isActive = known.isActive } = changes;
  sql.exec(
    "UPDATE filters SET name = ?2, match = ?3, actions = ?4, position = ?5, is_active = ?6, updated_at = ?7 WHERE id = ?1",
    ...[id, name, JSON.stringify(match), JSON.stringify(actions.actions), changes.position ?? known.position],
    ...[isActive ? 1 : 0, now],
  );
  return saved(sql, id);
}

/** Deletes a filter. Returns false when there is none. */
export function deleteFilter(sql: Sql, id: string): boolean {
  return first(sql, "DELETE FROM filters WHERE id = ? RETURNING id", id) !== null;
}

/** Moves a filter one place up (-1) or down (1), and numbers all of them anew. Returns false when there is none. Must run in a transaction. */
export function shiftFilter(sql: Sql, id: string, by: -1 | 1): boolean {
  const ids = listFilters(sql).map((filter) => filter.id);
  const at = ids.indexOf(id);
  if (at < 0) return false;
  const to = Math.min(Math.max(at + by, 0), ids.length - 1);
  ids.splice(to, 0, ...ids.splice(at, 1));
  for (const [position, one] of ids.entries()) sql.exec("UPDATE filters SET position = ? WHERE id = ?", position, one);
  return true;
}

/** Returns actions with the ids of their folders, or what does not exist. */
function resolve(
  sql: Sql,
  actions: readonly FilterActionIn[],
): { actions: FilterAction[] } | { refused: "no-folder" | "no-label" } {
  const resolved: FilterAction[] = [];
  for (const action of actions) {
    const folder = action.type === "move" ? findFolder(sql, action.folder) : null;
    if (action.type === "move") {
      if (!folder) return { refused: "no-folder" };
      resolved.push({ type: "move", folder: folder.name, folderId: folder.id });
      continue;
    }
    if (action.type === "label" && !first(sql, "SELECT 1 FROM labels WHERE id = ?", action.labelId))
      return { refused: "no-label" };
    resolved.push(action);
  }
  return { actions: resolved };
}

function saved(sql: Sql, id: string): FilterResult {
  const filter = findFilter(sql, id);
  return filter ? { filter } : { refused: "unknown" };
}

const folderNames = (sql: Sql) =>
  new Map(all<{ id: number; name: string }>(sql, "SELECT id, name FROM folders").map(({ id, name }) => [id, name]));

/** Returns a filter with the names that its folders have now. */
function toFilter(
  { match, actions, is_active, created_at: createdAt, updated_at: updatedAt, ...row }: FilterRow,
  folders: ReadonlyMap<number, string>,
): Filter {
  const named = (JSON.parse(actions) as FilterAction[]).map((action) =>
    action.type === "move" ? { ...action, folder: folders.get(action.folderId) ?? action.folder } : action,
  );
  const isActive = is_active === 1;
  return { ...row, match: JSON.parse(match) as FilterMatch, actions: named, isActive, createdAt, updatedAt };
}
