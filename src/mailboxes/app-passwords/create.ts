import type { CallerCtx } from "../../access/caller.ts";
import { insertAppPasswordStatement, newAppPassword } from "../../access/mailbox-sessions/app-passwords.ts";
import { findCurrentHash } from "../../access/mailbox-sessions/change-password.ts";
import { passwordOwner } from "../../access/mailbox-sessions/sessions.ts";
import { countMailboxPassword } from "../../identity/sign-ins/index.ts";
import { conflict, invalidField } from "../../lib/errors.ts";
import { iso } from "../../lib/time.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { storeSecretResponse } from "../../platform/idempotency/responses.ts";
import { tellAssignees } from "../mailboxes/index.ts";
import { openForPasswords } from "./open.ts";
import { isFull } from "./queries.ts";
import { MAX_APP_PASSWORDS } from "./rules.ts";
import type { AppPasswordForm, NewAppPasswordOut } from "./schema.ts";

/**
 * Makes an app password of a mailbox. It ends with the right by which it was made, as a password of the mailbox does. Throws 404 and 403;
 * 409 when the mailbox has 20; and in a session of the mailbox 422 for a wrong current password, 429 beyond the limits of wrong ones.
 */
export async function createAppPassword(
  ctx: CallerCtx,
  mailboxId: string,
  { name, current }: AppPasswordForm,
): Promise<NewAppPasswordOut> {
  const mailbox = await openForPasswords(ctx, mailboxId, "write");
  const by = ctx.actor.kind === "mailbox" ? await checkCurrent(ctx, mailbox, current) : null;
  // The statement decides between calls at once.
  if (await isFull(ctx, mailbox.id)) throw tooMany();
  const made = { id: ctx.newId(), name, password: newAppPassword(), createdAt: ctx.now() };
  const owned = { ...made, ...passwordOwner(ctx) };
  const response = { id: made.id, name, password: made.password, created_at: iso(made.createdAt) };
  try {
    await guardedBatch(ctx.db, [
      await insertAppPasswordStatement(ctx, mailbox.id, owned, { most: MAX_APP_PASSWORDS, by }),
      expectChanges(ctx.db, 1),
      auditStatement(ctx, { action: "mailbox.app_password_created", target: mailbox.id, detail: { name } }),
      ...(await storeSecretResponse(ctx, response)),
    ]);
  } catch (error) {
    if (error instanceof ConcurrencyError && !ctx.idempotency) throw tooMany();
    throw error;
  }
  if (by === null) await tellAssignees(ctx, mailbox);
  return response;
}

/** Returns the hash of the current password. Throws 422, and 429. */
async function checkCurrent(
  ctx: CallerCtx,
  { id, address }: { id: string; address: string },
  current: string | undefined,
): Promise<string> {
  if (current === undefined) throw invalidField("current", "A session of the mailbox needs the current password");
  const succeeded = await countMailboxPassword(ctx, address, ctx.clientIp);
  const hash = await findCurrentHash(ctx, id, current);
  if (hash === null) throw invalidField("current", "The password is wrong");
  await succeeded();
  return hash;
}

const tooMany = () => conflict(`The mailbox has ${MAX_APP_PASSWORDS} app passwords; delete one first`);
