/** The most rows to which an operator may raise a budget whose rows an INSERT counts, and one whose rows a job counts. */
export const MOST_COUNTED = 10_000;
export const MOST_MEASURED = 1_000_000_000;

/** Rows of one owner. The INSERT of the next is refused at the end of the budget (`hasRoom`). */
export interface RowBudget {
  /** Most rows of one owner: a workspace, unless `owner` names another. */
  rows: number;
  /**
   * They are too many to be counted by each INSERT, as others are by an index. A job counts those of a workspace (src/operations/retention).
   * The INSERT reads its last result (`hasRoom`), so that a workspace may overrun the budget until the next run, or adds to it
   * (`spendStatement`).
   */
  isMeasured?: true;
  /** Most bytes of the rows together, as JSON. */
  bytes?: number;
  /** Name of the rows, in the plural. */
  of: string;
  /** Advice to the caller who is refused, which makes room. */
  remedy: string;
  /** The column of the owner, which an index begins with, and what the owner is. */
  owner?: { column: string; kind: string };
  /** The table whose rows count, when it is another one. */
  table?: string;
  /** SQL condition of the rows that count; `:now` in it is the time in ms since 1970, which every count must give. */
  where?: string;
}

/** How a place of storage is kept from growing without end because of one tenant. */
export type Budget =
  | RowBudget
  /** The reason why a tenant cannot fill it. */
  | { bound: string };

/** Why a tenant cannot fill a place that only the service writes. */
export const ofService = "the service writes it, whatever tenants do";

const perWorkspace = { column: "workspace", kind: "workspace" };

/** Returns the column and the kind of the owner whose rows a budget bounds. */
export const ownerOf = ({ owner = perWorkspace }: RowBudget) => owner;
