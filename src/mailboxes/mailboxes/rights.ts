import type { Actor } from "../../access/caller.ts";

type Caller = Pick<Actor, "scopes" | "userId">;

/** Returns whether a caller manages the mailboxes of its workspace. No role but owner and admin has the scope. */
export const mayManage = ({ scopes }: Pick<Caller, "scopes">): boolean => scopes.has("mailboxes:manage");

/** Returns whether a caller may change the display name: one who manages mailboxes, or who is assigned and may send from it. */
export const mayRename = (caller: Caller, assigneeIds: readonly string[]): boolean =>
  mayManage(caller) || (caller.scopes.has("inbox:write") && assigneeIds.includes(caller.userId));

/**
 * Returns the first scope that a caller lacks to set the password, or null. The password opens the mailbox, so it takes the scopes of
 * the inbox, and an assignment or the right to manage mailboxes.
 */
export function missingForPassword({ scopes, userId }: Caller, assigneeIds: readonly string[]): string | null {
  const needed = [...(assigneeIds.includes(userId) ? [] : ["mailboxes:manage" as const])];
  return [...needed, "inbox:read" as const, "inbox:write" as const].find((scope) => !scopes.has(scope)) ?? null;
}
