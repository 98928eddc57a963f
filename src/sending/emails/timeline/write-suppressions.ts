import type { MailCtx } from "../../../platform/context.ts";
import type { MailStatement, MainStatement } from "../../../platform/db/database.ts";
import { type ContactMark, findMarksStatements, markContactsStatements } from "../../suppressions/index.ts";
import type { MergeResult } from "./merge.ts";

/**
 * Runs the statements that change the suppression lists for some merged facts, in the main database. Returns the
 * statements that copy the new state of the addresses to the contacts, for the batch in the mail database.
 */
export async function writeSuppressions(
  ctx: MailCtx,
  statements: readonly MainStatement[],
  merged: readonly Pick<MergeResult, "state" | "suppress" | "unsuppress">[],
): Promise<MailStatement[]> {
  if (statements.length === 0) return [];
  const addresses = merged.flatMap(({ state: { workspace }, suppress, unsuppress }) =>
    [...suppress.map(({ email }) => email), ...unsuppress].map((email) => ({ workspace, email })),
  );
  const reads = addresses.length > 0 ? findMarksStatements(ctx, addresses) : [];
  const results = await ctx.db.batch<ContactMark>([...statements, ...reads]);
  const marks = results.slice(statements.length).flatMap(({ results: found }) => found);
  return marks.length > 0 ? markContactsStatements(ctx, marks) : [];
}
