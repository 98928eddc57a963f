import type { MailCtx } from "../../platform/context.ts";
import { compareVariants } from "./analytics/compare-variants.ts";
import { type Counts, countNames, countsOf } from "./counts.ts";

/** The counts of the emails of a step of a version of an automation. */
export interface StepCounts extends Counts {
  /** Id of the row that has their content. */
  id: string;
}

/** Rows that are read: those of three versions with 100 emails each. */
const MAX_ROWS = 300;

const FIND = `
  SELECT b.id, ${countNames.map((name) => `coalesce(c.${name}, 0) AS ${name}`).join(", ")}
    FROM (SELECT n, id FROM broadcasts WHERE workspace = ?1 AND automation = ?2 ORDER BY n DESC LIMIT ${MAX_ROWS}) b
    LEFT JOIN broadcast_counts c ON c.broadcast = b.n AND c.variant = 0`;

/** Returns the counts of the emails of the newest versions of an automation. One D1 call. */
export async function findStepCounts(ctx: MailCtx, workspace: number, automation: number): Promise<StepCounts[]> {
  return ctx.mail.listRows<StepCounts>(FIND, workspace, automation);
}

/** Compares the click rates of two versions of an email, as those of variants are. Null: one of them has no delivered email. */
export const compareSteps = (newer: StepCounts, older: StepCounts) =>
  compareVariants([newer, older].map((counts) => ({ id: counts.id, label: null, ...countsOf(counts) })))[0] ?? null;
