import type { Blocker } from "../../../lib/errors.ts";

/** Limits of the deletion of an account. It is one transaction, of about 20 statements for each workspace. */
export const limits = { accountWorkspaces: 20 } as const;

/** A workspace of a user, as the deletion of its account sees it. */
export interface AccountWorkspace {
  number: number;
  id: string;
  name: string;
  /** Number of its mail database. */
  mailShard: number;
  role: "owner" | "admin" | "member";
  hasOtherMembers: boolean;
  /** One of them is an owner. */
  hasOtherOwner: boolean;
}

/** Why an account cannot be deleted yet, with the workspaces that stand in the way. */
export interface AccountIssue {
  code: "last_owner" | "too_many_workspaces";
  detail: string;
  blockers: Blocker[];
}

/** Returns why an account cannot be deleted, or null. The last owner of a workspace stays unless it is alone and asks for that. Pure. */
export function deletionIssue(workspaces: readonly AccountWorkspace[], alone: "delete" | "keep"): AccountIssue | null {
  if (workspaces.length > limits.accountWorkspaces) {
    const detail = `Your account has more than ${limits.accountWorkspaces} workspaces; leave or delete some first`;
    return { code: "too_many_workspaces", detail, blockers: [] };
  }
  const blocking = workspaces.filter(
    (workspace) => isLastOwner(workspace) && (workspace.hasOtherMembers || alone === "keep"),
  );
  if (blocking.length === 0) return null;
  return {
    code: "last_owner",
    detail: blocking.some(({ hasOtherMembers }) => hasOtherMembers)
      ? "You are the last owner of a workspace; make another member an owner first, or delete the workspace"
      : "You are the last owner of a workspace; to delete it with your account, add ?workspaces=delete",
    blockers: blocking.map(({ id, name }) => ({ kind: "workspace", id, label: name })),
  };
}

/** Returns whether a workspace has no other member: it is deleted with the account. */
export const isAlone = (workspace: AccountWorkspace): boolean => isLastOwner(workspace) && !workspace.hasOtherMembers;

const isLastOwner = ({ role, hasOtherOwner }: AccountWorkspace): boolean => role === "owner" && !hasOtherOwner;
