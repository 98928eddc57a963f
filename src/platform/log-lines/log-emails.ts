import type { Ctx } from "../context.ts";

/** Entries of one line. */
const ENTRIES_PER_LINE = 100;

/** An email in a line of the log, with the id of the request that it was accepted with; null without one. Each event adds fields. */
export interface LoggedEmail {
  id: string;
  request_id?: string | null;
  [field: string]: unknown;
}

/**
 * Logs what happened to several emails: lines with at most 100 of them each, under `emails`. Once the lines of an invocation have
 * used up its bytes, they only have the number of emails (`omitted`). docs/monitoring.md has to list the event.
 */
export function logEmails(
  { log, logBudget }: Pick<Ctx, "log" | "logBudget">,
  event: string,
  entries: readonly LoggedEmail[],
  fields: Record<string, unknown> = {},
): void {
  for (let at = 0; at < entries.length; at += ENTRIES_PER_LINE) {
    const emails = entries.slice(at, at + ENTRIES_PER_LINE);
    const bytes = JSON.stringify(emails).length;
    const fits = bytes <= logBudget.bytes;
    if (fits) logBudget.bytes -= bytes;
    log(event, { ...fields, ...(fits ? { emails } : { omitted: emails.length }) });
  }
}
