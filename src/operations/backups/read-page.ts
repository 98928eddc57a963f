import { bytesSql, withinBytes } from "../../platform/db/byte-pages.ts";
import { type BackupStore, quoted } from "./stores.ts";

/**
 * The rows of a table in a page. `work`: outbox rows that do not name emails. A number: emails, of which those of broadcasts
 * only up to this one, with which the stored progress of the broadcasts agrees.
 */
export type PageFilter = "work" | number;

/** A page to read. The names come from the database itself (tables.ts). */
export interface PageRequest {
  table: string;
  columns: readonly string[];
  key: readonly string[];
  /** The key of the last row of the page before; null: the first page. */
  after: readonly (string | number)[] | null;
  filter: PageFilter | null;
}

/** Bounds of a page: rows, and bytes of their values. A page has at least one row, of up to 2 MB. */
const PAGE_ROWS = 1_000;
const PAGE_BYTES = 1_000_000;

/**
 * Returns the next rows of a table in the order of the key, as values in the order of the columns; none at the end. The sizes of
 * the rows are read first, without their values, so the statement reads each row twice and never holds more than a page.
 */
export async function readPage(store: BackupStore, request: PageRequest): Promise<(string | number | null)[][]> {
  const { columns } = request;
  const [rows = []] = await store.batch([pageStatement(request)]);
  return rows.map((row) => columns.map((column) => row[column] ?? null));
}

function pageStatement({ table, columns, key, after, filter }: PageRequest) {
  const from = quoted([table]);
  const keys = quoted(key);
  const conditions = [
    ...(after ? [`(${keys}) > (${after.map((_, at) => `?${at + 1}`).join(", ")})`] : []),
    ...(filter === "work" ? ["kind NOT IN ('deliver', 'bulk')"] : []),
    ...(typeof filter === "number" ? [`(broadcast IS NULL OR n <= ${filter})`] : []),
  ];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  const bytes = bytesSql(...columns.map((column) => quoted([column])));
  const page = `SELECT ${bytes} AS bytes FROM ${from} ${where} ORDER BY ${keys} LIMIT ${PAGE_ROWS}`;
  const sql = `
    SELECT ${quoted(columns)} FROM ${from} ${where} ORDER BY ${keys} LIMIT (
      SELECT count(*) FROM (${withinBytes(page, PAGE_BYTES)}))`;
  return { sql, values: after ?? [] };
}

/** The state that must agree with the emails up to `lastN`, read in one transaction. */
export interface MailStart {
  lastN: number;
  /** Broadcasts that are scheduled or being sent. */
  broadcasts: { n: number; status: string; fan_out: string | null; fan_out_step: number }[];
}

/** Reads the newest email of a mail database and the progress of its broadcasts, at the start of its backup. */
export async function readMailStart(store: BackupStore): Promise<MailStart> {
  const [emails = [], broadcasts = []] = await store.batch([
    { sql: "SELECT coalesce(max(n), 0) AS n FROM emails", values: [] },
    {
      sql: "SELECT n, status, fan_out, fan_out_step FROM broadcasts WHERE status IN ('scheduled', 'sending')",
      values: [],
    },
  ]);
  return { lastN: Number(emails[0]?.n ?? 0), broadcasts: broadcasts as unknown as MailStart["broadcasts"] };
}
