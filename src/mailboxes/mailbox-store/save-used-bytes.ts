import type { Ctx } from "../../platform/context.ts";

/** Copies the size of a mailbox to its row. A failure is only logged: the message is stored, and the next one corrects the size. */
export async function saveUsedBytes(ctx: Ctx, { id }: { id: string }, usedBytes: number): Promise<void> {
  try {
    await ctx.db.execute("UPDATE mailboxes SET used_bytes = ?2 WHERE id = ?1", id, usedBytes);
  } catch (error) {
    ctx.log("mailbox.size-not-saved", { mailbox: id, error: String(error) });
  }
}
