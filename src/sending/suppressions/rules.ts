/** Reasons that a caller may give. */
export const reasons = ["bounce", "complaint", "unsubscribe", "manual"] as const;

/** Reasons of an entry. `soft_bounces` is set by the service only. */
export const suppressionReasons = [...reasons, "soft_bounces"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];
