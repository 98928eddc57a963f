import type { Ctx } from "../context.ts";
import type { MainStatement } from "../db/database.ts";

/** An address that a retry proved to work, in canonical form. `before` is when the retry was made. */
export interface ReleaseEntry {
  workspace: number;
  email: string;
  before: number;
}

const RELEASE = `
  DELETE FROM suppressions WHERE reason = 'bounce' AND (workspace, email, created_at) IN (
    SELECT s.workspace, s.email, s.created_at FROM json_each(?1) j
     CROSS JOIN suppressions s ON s.workspace = j.value->>'workspace' AND s.email = j.value->>'email'
     WHERE s.created_at <= j.value->>'before')`;

/** Returns the statement that removes suppressions by bounces no newer than a retry. Safe to run twice. */
export function releaseBouncesStatement(ctx: Ctx, entries: readonly ReleaseEntry[]): MainStatement {
  return ctx.db.prepare(RELEASE).bind(JSON.stringify(entries));
}
