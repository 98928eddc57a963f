import type { MailCtx, MailStatement, MainStatement } from "../../../platform/context.ts";
import {
  type ContactMark,
  findMarksStatements,
  markContactsStatements,
  type WorkspaceAddress,
} from "../../suppressions/index.ts";
import type { MergeResult } from "./merge.ts";

/**
 * Runs the statements that change the suppression lists for some merged facts, in the main database. Returns the
 * statements that copy the new state of the addresses to the contacts, for the batch in the mail database. Adds to `ended` the
 * addresses whose soft bounces have ended: a repeated try finds them there only.
 */
export async function writeSuppressions(
  ctx: MailCtx,
  statements: readonly MainStatement[],
  merged: readonly Pick<MergeResult, "state" | "suppress" | "unsuppress" | "softBounces">[],
  ended: WorkspaceAddress[],
): Promise<MailStatement[]> {
  if (statements.length === 0) return [];
  const addresses = merged.flatMap(({ state: { workspace }, suppress, unsuppress, softBounces }) => {
    const bounced = softBounces.filter(({ fact }) => fact === "refused" || fact === "returned");
    const emails = [...suppress.map(({ email }) => email), ...unsuppress, ...bounced.map(({ email }) => email)];
    return emails.map((email) => ({ workspace, email }));
  });
  const reads = addresses.length > 0 ? findMarksStatements(ctx, addresses) : [];
  const results = await ctx.db.batch<unknown>([...statements, ...reads]);
  ended.push(...results.slice(0, statements.length).flatMap(({ results: found }) => found as WorkspaceAddress[]));
  const marks = results.slice(statements.length).flatMap(({ results: found }) => found as ContactMark[]);
  if (ended.length > 0) {
    const found = await ctx.db.batch<ContactMark>(findMarksStatements(ctx, ended));
    marks.push(...found.flatMap(({ results: rows }) => rows));
  }
  return marks.length > 0 ? markContactsStatements(ctx, marks) : [];
}
