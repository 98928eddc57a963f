import type { CallerWorkspace, Ctx, MailCtx } from "../platform/context.ts";
import { onNewestShard, onOldestShard } from "../platform/jobs/shards.ts";

/** Routes of lists, contacts, forms, broadcasts and persons, whose rows are in the first mail database of a workspace. */
const IN_FIRST_DATABASE = /^[A-Z]+ \/v1\/(?:contacts|broadcasts|analytics\/broadcasts|people|segments)\//;

/**
 * Returns the context of a request with the mail database that its route, by method and mounted path, reads and writes: the first one of the
 * workspace for its audience, the newest one for everything else (docs/architecture.md#databases).
 */
export function onDatabaseOf<Context extends Ctx>(
  route: string,
  ctx: Context,
  workspace: Pick<CallerWorkspace, "id" | "mailShards">,
): Context & MailCtx {
  return IN_FIRST_DATABASE.test(route) ? onOldestShard(ctx, workspace) : onNewestShard(ctx, workspace);
}
