import * as z from "zod";
import type { CallerCtx } from "../../access/caller.ts";
import { changePasswordStatements } from "../../access/mailbox-sessions/change-password.ts";
import { countMailboxPassword } from "../../identity/sign-ins/index.ts";
import { forbidden, invalidField } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { guardedBatch } from "../../platform/db/batch.ts";
import { checkAccess } from "../mailbox-store/index.ts";
import { PasswordIn } from "./schema.ts";

export const PasswordChangeIn = PasswordIn.extend({ current: z.string().max(256) });
export type PasswordChangeIn = z.output<typeof PasswordChangeIn>;

/**
 * Changes the password of the mailbox whose session the caller has. The other sessions of the mailbox end; the new password ends with no
 * other person's right. Throws 403 for another caller, 422 for a wrong current password, 429 beyond the limits of wrong passwords.
 */
export async function changeOwnPassword(ctx: CallerCtx, { current, password }: PasswordChangeIn): Promise<void> {
  const { actor } = ctx;
  if (actor.kind !== "mailbox")
    throw forbidden("Only a session of the mailbox changes the password by the current one");
  const { mailboxId, credentialId, email } = actor;
  const succeeded = await countMailboxPassword(ctx, email, ctx.clientIp);
  const change = await changePasswordStatements(ctx, mailboxId, { current, password, sessionId: credentialId });
  if (!change) throw invalidField("current", "The password is wrong");
  await succeeded();
  const audit = auditStatement(ctx, { action: "mailbox.password_changed", target: mailboxId, detail: {} });
  await guardedBatch(ctx.db, [...change, audit]);
  await checkAccess(ctx, mailboxId);
}
