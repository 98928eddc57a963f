import type { Ctx } from "../context.ts";
import { addRowsWritten, takeRowsWritten } from "../db/count-rows.ts";

/** Counts beside the rows written to D1. The reasons of deferrals are in src/sending/delivery/deferral-reason.ts. */
export type FigureName = "runs" | "claims" | "claimed_rows" | "claimed_emails" | `deferred.${string}`;

/** Counts by name. */
export type Figures = Record<string, number>;

/** Counts of an isolate that are not stored yet, by the binding of the main database. */
const counts = new WeakMap<object, Map<string, number>>();

/** Adds to figures of today, in memory. `saveFigures` stores them. */
export function addFigures({ env }: Pick<Ctx, "env">, figures: Partial<Record<FigureName, number>>): void {
  const sums = counts.get(env.DB) ?? new Map<string, number>();
  for (const [name, count = 0] of Object.entries(figures)) sums.set(name, (sums.get(name) ?? 0) + count);
  counts.set(env.DB, sums);
}

/** Returns what was counted since the last call, and counts from zero again. */
export function takeFigures(env: Env): Figures {
  const taken = Object.fromEntries(counts.get(env.DB) ?? []);
  counts.delete(env.DB);
  const rows = (bindings: readonly object[]) => bindings.reduce((sum: number, one) => sum + takeRowsWritten(one), 0);
  return { ...taken, "rows_written.main": rows([env.DB]), "rows_written.mail": rows(mailBindings(env)) };
}

/** Gives back figures that could not be stored. */
export function giveBackFigures(env: Env, figures: Figures): void {
  const { "rows_written.main": main = 0, "rows_written.mail": mail = 0, ...others } = figures;
  addFigures({ env }, others);
  addRowsWritten(env.DB, main);
  for (const binding of mailBindings(env).slice(0, 1)) addRowsWritten(binding, mail);
}

const mailBindings = (env: Env): object[] =>
  Object.entries(env).flatMap(([name, binding]) => (/^MAIL_\d+$/.test(name) ? [binding as object] : []));
