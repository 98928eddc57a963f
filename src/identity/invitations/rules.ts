const DAY_SECONDS = 24 * 3_600;

/** Limits of invitations by a workspace, and of their emails to one address. */
export const invitationPolicies = {
  workspace: { name: "invitations", limit: 20, windowSeconds: 3_600 },
  emailsFromWorkspace: { name: "invitation-emails-from-workspace", limit: 1, windowSeconds: DAY_SECONDS },
} as const;

/** Lifetime of an invitation, in ms. */
export const INVITATION_TTL_MS = 7 * 24 * 3_600_000;

/** How long an expired invitation is kept, in ms: its link gets 410 until then. */
export const EXPIRED_KEPT_MS = 30 * 24 * 3_600_000;
