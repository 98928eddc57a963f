import type { MailCtx } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { mailDb } from "../../../platform/db/client.ts";
import { onShard } from "../../../platform/jobs/shards.ts";
import { joinPrepared, type PendingOf, type Prepared } from "./outcome.ts";
import { prepareEmails } from "./send-emails.ts";

type PendingEmail = PendingOf<"send_email">;

/**
 * Sends emails of workspaces that have their new mail in another mail database than their runs, each safe to repeat: an email is named
 * by its run and visit. Such a workspace was moved to a further database.
 */
export async function sendElsewhere(ctx: MailCtx, pending: readonly PendingEmail[]): Promise<Prepared> {
  const prepared: Prepared[] = [];
  for (const [shard, group] of Map.groupBy(pending, ({ workspace }) => workspace.mailShards[0])) {
    if (shard === undefined) continue;
    prepared.push(await sendOn(onShard(ctx, shard), ctx, group));
  }
  return joinPrepared(prepared);
}

async function sendOn(there: MailCtx, here: MailCtx, pending: readonly PendingEmail[]): Promise<Prepared> {
  const { there: statements, here: daily, outcomes, wake } = await prepareEmails(here, there, pending);
  if (statements.length > 0) await guardedBatch(mailDb(there), statements);
  for (const each of wake) await each();
  return { statements: daily, outcomes, wake: [] };
}
