import type { EmailPage } from "../queries.ts";
import type { SearchOut } from "./schema.ts";

/** Where a page of a search continues: after an outbound and after an inbound email. */
export interface SearchCursor {
  before?: string | undefined;
  before_inbound?: string | undefined;
}

/**
 * Merges the outbound and the inbound emails of a search by time, newest first, and returns those from `skip` on, at most
 * `limit`. Each page must have `skip + limit` rows or end. `next` is null at the end of both. Pure.
 */
export function mergePages(
  outbound: EmailPage<SearchOut>,
  inbound: EmailPage<SearchOut>,
  { skip, limit, ...after }: SearchCursor & { skip: number; limit: number },
): { rows: SearchOut[]; next: SearchCursor | null } {
  const merged = [...outbound.rows, ...inbound.rows].sort((a, b) => compare(b.created_at, a.created_at));
  const taken = merged.slice(0, skip + limit);
  const cursorOf = (page: EmailPage<SearchOut>, direction: SearchOut["direction"], start: string | undefined) => {
    const own = taken.filter((row) => row.direction === direction);
    const isComplete = own.length === page.rows.length;
    return {
      at: (isComplete ? page.next : null) ?? own.at(-1)?.id ?? start,
      hasMore: !isComplete || page.next !== null,
    };
  };
  const [out, into] = [
    cursorOf(outbound, "outbound", after.before),
    cursorOf(inbound, "inbound", after.before_inbound),
  ];
  const next = out.hasMore || into.hasMore ? { before: out.at, before_inbound: into.at } : null;
  return { rows: taken.slice(skip), next };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
