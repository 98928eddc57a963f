import { readChunks } from "../../lib/read-chunks.ts";
import type { MailCtx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { mailboxStore, putMessage, saveUsedBytes, toNewMessage } from "../mailbox-store/index.ts";
import { type ForwardResult, type ForwardRow, failed } from "./types.ts";

// A rule that was deleted, disabled or given another target, or whose mailbox has another owner by now, forwards nothing more.
const FIND_TARGET = `
  SELECT m.quota_bytes FROM forwarding_rules r JOIN mailboxes m ON m.id = r.target AND m.workspace = r.workspace
   WHERE r.id = ?1 AND r.workspace = ?2 AND r.target = ?3 AND r.is_active = 1 AND m.is_active = 1`;

/** Puts a copy of an email into another mailbox of the workspace, however often it is called. Its rules are not applied, its filters place it. */
export async function deliverCopy(ctx: MailCtx, { id, forward }: ForwardRow): Promise<ForwardResult> {
  const values = [forward.rule, forward.workspace, forward.target];
  const target = await ctx.db.findRow<{ quota_bytes: number | null }>(FIND_TARGET, ...values);
  if (!target) return failed("the rule or its mailbox was deleted, disabled or changed");
  const source = await ctx.env.CONTENT.get(forward.object);
  if (!source) return failed("the email was deleted before it was forwarded");
  // Equal for each attempt, of which the row has another id.
  const deliveryKey = `forward ${forward.inbound} ${forward.rule}`;
  const object = r2Keys.mailboxMessage(forward.target, id);
  const { parsed, size } = await putMessage(ctx, object, readChunks(source.body));
  const { authentication } = forward;
  const stored = { object, folder: "INBOX", size, authentication, deliveryKey, now: ctx.now() };
  const message = toNewMessage(parsed, stored);
  // The forwards of its filters are left out: a message is forwarded by the mailbox that it was delivered to.
  const added = await mailboxStore(ctx, forward.target).add({ ...message, isFiltered: true }, target.quota_bytes);
  if (added.result !== "added" && !(added.result === "duplicate" && added.object === object))
    await ctx.env.CONTENT.delete(object);
  if (added.result === "over-quota") return { kind: "later", reason: "the mailbox is full", isAttempt: true };
  if (added.result === "no-folder") return failed("the mailbox has no INBOX");
  await saveUsedBytes(ctx, { id: forward.target }, added.usedBytes);
  return { kind: "done", event: "forwarded", metadata: {} };
}
