/** Lifetime of an invitation, in ms. */
export const INVITATION_TTL_MS = 7 * 24 * 3_600_000;

/** How long an expired invitation is kept, in ms: its link gets 410 until then. */
export const EXPIRED_KEPT_MS = 30 * 24 * 3_600_000;
