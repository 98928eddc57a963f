import { AppError } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import type { MailboxOperations } from "./operations.ts";

/** The operations of a mailbox, and the other methods of its object that callers use (durable-objects/mailbox.ts). */
export interface MailboxStore extends MailboxOperations {
  /** Closes the sockets of clients whose access has ended. */
  checkAccess(): Promise<void>;
  /** Deletes everything that the mailbox has. */
  destroy(): Promise<void>;
}

/** Returns the store of a mailbox. Each failure of a call, whatever its cause, becomes a 502 (docs/contract/inbox.md#messages). */
export function mailboxStore(ctx: Ctx, mailboxId: string): MailboxStore {
  const stub: MailboxStore = ctx.env.MAILBOX.getByName(mailboxId);
  return new Proxy(stub, {
    get: (target, name: keyof MailboxStore) => {
      return async (...args: unknown[]) => {
        try {
          // Called on the stub in one expression: taken from it first, the method would be another remote property.
          return await (target as unknown as RemoteMethods)[name](...args);
        } catch (error) {
          ctx.log("mailbox.failed", { mailbox: mailboxId, method: name, error: String(error) });
          throw unreachable();
        }
      };
    },
  });
}

/** Opens a socket of changes in the object of a mailbox; `headers` say who opens it. Throws 502 when the object fails. */
export async function openEventSocket(ctx: Ctx, mailboxId: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await ctx.env.MAILBOX.getByName(mailboxId).fetch("https://mailbox/events", { headers });
  } catch (error) {
    ctx.log("mailbox.failed", { mailbox: mailboxId, method: "events", error: String(error) });
    throw unreachable();
  }
}

/** Closes the sockets of clients whose access has just ended. A failure is only logged: the next change of the mailbox closes them too. */
export async function checkAccess(ctx: Ctx, mailboxId: string): Promise<void> {
  await mailboxStore(ctx, mailboxId)
    .checkAccess()
    .catch(() => {});
}

const unreachable = () => new AppError(502, "The mailbox cannot be reached; try again");

type RemoteMethods = Record<keyof MailboxStore, (...args: unknown[]) => Promise<unknown>>;
