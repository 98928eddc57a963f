import type { PageFilter } from "../../src/operations/backups/read-page.ts";
import type { TableShape } from "../../src/operations/backups/tables.ts";

/** Rows of one table that a backup reads in one pass, page after page. */
export interface Part {
  /** Name of its files. */
  name: string;
  table: string;
  columns: string[];
  key: string[];
  isVirtual: boolean;
  filter: PageFilter | null;
}

/** The numbers that AUTOINCREMENT has used. */
const SEQUENCE: Part = {
  name: "sequence",
  table: "sqlite_sequence",
  columns: ["name", "seq"],
  key: ["name"],
  isVirtual: false,
  filter: null,
};

/** Tables of a mailbox that are read after the others, so that no message has a greater UID than its folder knows. */
const MAILBOX_LAST = ["message_search", "labels", "folders"];
/** Tables of a mail database that are read before the others: what they name is read later, so it is there. */
const MAIL_FIRST = ["broadcasts", "broadcast_pages", "idempotency_keys"];

/**
 * Returns the parts of a database in the order in which they are read (docs/operating/backups.md, says why). Pure.
 * `lastN` is the newest email of a mail database when its backup began.
 */
export function planParts(store: string, tables: readonly TableShape[], lastN: number): Part[] {
  const parts = inOrder(tables).map(({ name, columns, key, isVirtual }): Part => {
    return { name, table: name, columns, key, isVirtual, filter: null };
  });
  const ranked = (ranks: readonly (readonly string[])[]) => {
    const rank = ({ table }: Part) => {
      const at = ranks.findIndex((names) => names.includes(table));
      return at < 0 ? ranks.findIndex((names) => names.length === 0) : at;
    };
    return parts.toSorted((a, b) => rank(a) - rank(b) || position(ranks, a) - position(ranks, b));
  };
  if (store.startsWith("mailbox-")) return [...ranked([[], ...MAILBOX_LAST.map((name) => [name])]), SEQUENCE];
  const outbox = parts.find(({ table }) => table === "outbox");
  if (!outbox) throw new Error(`${store} has no outbox`);
  // By id, which never changes, so that a row is not missed while its due time moves.
  const work = (name: string): Part => ({ ...outbox, name, key: ["id"], filter: "work" });
  const first = work("outbox-first");
  const last = work("outbox-last");
  // References are read before the rows they name, so that the rows are there.
  if (store === "main") return [first, ...parts.filter((part) => part !== outbox).reverse(), last, SEQUENCE];
  const mail = ranked([["outbox"], MAIL_FIRST, [], ["emails"]]);
  return [first, ...mail.map((part) => limited(part, lastN)), last, SEQUENCE];
}

/**
 * Returns the files of a database in the order in which their rows are written. In the main database and in a mailbox rows are read before those
 * that they refer to, and written after them: a trigger of messages refuses one without its folder. Pure.
 */
export function inWriteOrder<File extends { part: { name: string } }>(store: string, files: readonly File[]): File[] {
  if (store.startsWith("mail-")) return [...files];
  return [...Map.groupBy(files, ({ part }) => part.name).values()].reverse().flat();
}

function position(ranks: readonly (readonly string[])[], { table }: Part): number {
  return ranks.find((names) => names.includes(table))?.indexOf(table) ?? 0;
}

const limited = (part: Part, lastN: number): Part => (part.table === "emails" ? { ...part, filter: lastN } : part);

/** Returns the tables so that each follows those that it refers to. */
function inOrder(tables: readonly TableShape[]): TableShape[] {
  const done = new Map<string, TableShape>();
  const add = (table: TableShape) => {
    if (done.has(table.name)) return;
    for (const name of table.references) for (const parent of tables.filter((one) => one.name === name)) add(parent);
    done.set(table.name, table);
  };
  for (const table of tables) add(table);
  return [...done.values()];
}
