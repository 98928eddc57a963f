import type { MailCtx } from "../../../platform/context.ts";
import { cancelStatements } from "./of-domains.ts";

const FIND = "SELECT n, id, status FROM emails WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))";

/** Cancels those of these emails that are still scheduled. Returns the status of each afterwards, by id; unknown ones have none. */
export async function stopScheduled(
  ctx: MailCtx,
  workspace: number,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const db = ctx.mail;
  const find = db.prepare(FIND).bind(workspace, JSON.stringify(ids));
  const { results } = await find.all<{ n: number; id: string; status: string }>();
  const scheduled = results.filter(({ status }) => status === "scheduled");
  if (scheduled.length === 0) return new Map(results.map(({ id, status }) => [id, status]));
  const stopped = await db.batch([...cancelStatements(ctx, workspace, scheduled, "draft_opened"), find]);
  const after = (stopped.at(-1)?.results ?? []) as { id: string; status: string }[];
  return new Map(after.map(({ id, status }) => [id, status]));
}
