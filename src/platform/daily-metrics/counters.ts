import type { Ctx } from "../context.ts";
import { addRowsWritten, takeRowsWritten } from "../db/count-rows.ts";

/** Counts beside the rows written to D1. The reasons of deferrals are in src/sending/delivery/record/deferral-reason.ts. */
export type MetricName = "runs" | "claims" | "claimed_rows" | "claimed_emails" | `deferred.${string}`;

/** Counts by name. */
export type Metrics = Record<string, number>;

/** Counts of an isolate that are not stored yet, by the binding of the main database. */
const counts = new WeakMap<object, Map<string, number>>();

/** Adds to metrics of today, in memory. `saveMetrics` stores them. */
export function addMetrics({ env }: Pick<Ctx, "env">, metrics: Partial<Record<MetricName, number>>): void {
  const sums = counts.get(env.DB) ?? new Map<string, number>();
  for (const [name, count = 0] of Object.entries(metrics)) sums.set(name, (sums.get(name) ?? 0) + count);
  counts.set(env.DB, sums);
}

/** Returns what was counted since the last call, and counts from zero again. */
export function takeMetrics(env: Env): Metrics {
  const taken = Object.fromEntries(counts.get(env.DB) ?? []);
  counts.delete(env.DB);
  const rows = (bindings: readonly object[]) => bindings.reduce((sum: number, one) => sum + takeRowsWritten(one), 0);
  return { ...taken, "rows_written.main": rows([env.DB]), "rows_written.mail": rows(mailBindings(env)) };
}

/** Counts metrics again that could not be stored. */
export function restoreMetrics(env: Env, metrics: Metrics): void {
  const { "rows_written.main": main = 0, "rows_written.mail": mail = 0, ...others } = metrics;
  addMetrics({ env }, others);
  addRowsWritten(env.DB, main);
  for (const binding of mailBindings(env).slice(0, 1)) addRowsWritten(binding, mail);
}

const mailBindings = (env: Env): object[] =>
  Object.entries(env).flatMap(([name, binding]) => (/^MAIL_\d+$/.test(name) ? [binding as object] : []));
