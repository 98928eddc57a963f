import { AppError } from "../../lib/errors.ts";
import { type Budget, MOST_COUNTED, MOST_MEASURED, ownerOf, type RowBudget } from "./budget.ts";
import { mailBudgets } from "./mail-tables.ts";
import { mainBudgets } from "./main-tables.ts";
import { contentBudget } from "./objects.ts";

const ofMain = { ...mainBudgets, ...contentBudget };
const tables = { ...mainBudgets, ...mailBudgets, ...ofMain };

/** The tables whose INSERT a budget refuses, and the content of a workspace. */
export type CountedTable = {
  [Table in keyof typeof tables]: (typeof tables)[Table] extends RowBudget ? Table : never;
}[keyof typeof tables];

/** Returns the budget of a table. */
export const budgetOf = (table: CountedTable): RowBudget => tables[table];

/** Returns whether the main database counts the rows of a table; if not, the mail databases do. */
export const isOfMain = (table: CountedTable): boolean => table in ofMain;

/** The tables whose budget the operator can change for a workspace. */
export const raisedTables = (Object.keys(tables) as CountedTable[]).filter((table) => {
  const budget: Budget = tables[table];
  return "rows" in budget && budget.bytes === undefined && ownerOf(budget).kind === "workspace";
});

/** Returns the most rows to which an operator may raise the budget of a table. */
export const mostRaised = (table: CountedTable): number => (budgetOf(table).isMeasured ? MOST_MEASURED : MOST_COUNTED);

/** Signals that an owner has as many rows as it may. The batch wrote nothing. Becomes a 409. */
export class BudgetSpentError extends AppError {
  constructor(table: CountedTable, used: number) {
    const budget = budgetOf(table);
    const owner = ownerOf(budget).kind;
    super(409, `The ${owner} has ${used.toLocaleString("en")} ${budget.of}, which is the limit; ${budget.remedy}`);
    this.name = "BudgetSpentError";
  }
}

/** Returns the reason that the statement of a table gives for its refusal: letters and spaces. */
export const reasonOf = (table: CountedTable) => `budget ${table.replaceAll("_", " ")}`;

/** Returns the error of a refusal with the number of rows that it found, or null when the reason is another one. */
export function budgetError(reason: string, used: number): BudgetSpentError | null {
  const table = (Object.keys(tables) as CountedTable[]).find((name) => reasonOf(name) === reason);
  return table === undefined ? null : new BudgetSpentError(table, used);
}
