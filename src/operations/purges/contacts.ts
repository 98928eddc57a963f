import type { MailCtx } from "../../platform/context.ts";

/** Contacts that one step deletes: few enough for a transaction of milliseconds. */
const CONTACTS_PER_STEP = 5_000;

/** Deletes up to 5,000 contacts of a deleted list. Returns true when none is left. */
export async function deleteContacts(ctx: MailCtx, list: number): Promise<boolean> {
  const { meta } = await ctx.mail
    .prepare("DELETE FROM contacts WHERE n IN (SELECT n FROM contacts WHERE list = ?1 LIMIT ?2)")
    .bind(list, CONTACTS_PER_STEP)
    .run();
  return meta.changes < CONTACTS_PER_STEP;
}
