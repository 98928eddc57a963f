import type { Budget } from "./budget.ts";

/** The budgets of the tables that the main database and the mail databases have. */
export const bothBudgets = {
  outbox: { bound: "a row is one task of what another budget bounds" },
  quarantine: { bound: "the service moves tasks to it from the outbox when its own code fails" },
  held_outbox: { bound: "a restore moves the outbox to it" },
} as const satisfies Record<string, Budget>;
