import { idOfTime } from "../../lib/ids.ts";
import { DAY_MS, startOfDay } from "../../lib/time.ts";
import { withQuery } from "../../lib/with-query.ts";

/** The filter of the list. Its empty fields do not filter. */
export interface EmailFilter {
  q: string;
  status: string;
  /** The first and the last day of creation, such as `2026-11-23`, in UTC. */
  from: string;
  to: string;
}

export const NO_FILTER: EmailFilter = { q: "", status: "", from: "", to: "" };

/** Returns the path of the list with a filter, and the id to continue below. */
export const emailsPath = (query: Partial<EmailFilter> & { before?: string }): string =>
  withQuery("/app/emails", query);

/** Returns the range of ids of some days. A day that goes on is no limit, since ids may be ahead of the clock (lib/ids.ts). */
export function idsOfDays({ from, to }: Pick<EmailFilter, "from" | "to">, now: number) {
  const [first, last] = [startOfDay(from), startOfDay(to)];
  return {
    since: first === null ? undefined : idOfTime(first, ""),
    until: last === null || last + DAY_MS > now ? undefined : idOfTime(last + DAY_MS, ""),
  };
}
