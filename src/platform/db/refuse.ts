import { type BudgetSpentError, budgetError } from "../budgets/spent.ts";

/** Signals that a statement of a batch refused it, so the batch was rolled back. */
export class RefusedBatchError extends Error {
  /** Why, and the number that the statement gave. */
  readonly reason: string;
  readonly value: number;

  constructor(reason: string, value: number) {
    super(`the batch was refused: ${reason} ${value}`);
    this.name = "RefusedBatchError";
    this.reason = reason;
    this.value = value;
  }
}

/**
 * Returns an SQL expression that rolls back its batch with RefusedBatchError. `reason` has letters and spaces; `value` is an
 * SQL expression of a whole number. The error of a path that is malformed contains it.
 */
export const refuse = (reason: string, value: string) => `json_extract('{}', 'refused: ${reason} ' || ${value})`;
const REFUSED = /bad JSON path: 'refused: ([a-z ]+) (\d+)'/;

/** Returns the refusal by which a batch failed, or null: BudgetSpentError (409) at the end of a budget, RefusedBatchError for another reason. */
export function refusalOf(error: unknown): BudgetSpentError | RefusedBatchError | null {
  const [, reason, value] = REFUSED.exec(String(error)) ?? [];
  if (reason === undefined) return null;
  return budgetError(reason, Number(value)) ?? new RefusedBatchError(reason, Number(value));
}
