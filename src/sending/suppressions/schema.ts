import * as z from "zod";
import { iso } from "../../lib/time.ts";
import type { SuppressionRow } from "./queries.ts";

const reasons = ["bounce", "complaint", "unsubscribe", "manual"] as const;

/** Reasons of an entry. `soft_bounces` is set by the service only. */
export const suppressionReasons = [...reasons, "soft_bounces"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** A new entry of the suppression list. */
export const SuppressionIn = z
  .object({
    email: z.string().max(1000).meta({ minLength: 3, maxLength: 254, pattern: "@" }),
    reason: z
      .enum(reasons)
      .default("manual")
      .describe("`unsubscribe` applies to bulk and broadcast mail only; every other reason applies to all mail."),
  })
  .meta({ ref: "SuppressionCreate", examples: [{ email: "ada@example.org", reason: "manual" }] });
export type SuppressionIn = z.output<typeof SuppressionIn>;

export const SuppressionOut = z
  .object({
    email: z.string(),
    reason: z
      .enum(suppressionReasons)
      .describe(
        "`soft_bounces`: three soft bounces in a row over 72 hours or more; stops bulk and broadcast mail only.",
      ),
    created_at: z.string().meta({ format: "date-time" }),
  })
  .meta({
    ref: "Suppression",
    examples: [{ email: "ada@example.org", reason: "manual", created_at: "2026-11-21T14:00:00.000Z" }],
  });
export type SuppressionOut = z.output<typeof SuppressionOut>;

/** Serializes an entry of the suppression list. */
export function toSuppression(row: Pick<SuppressionRow, "email" | "reason" | "createdAt">): SuppressionOut {
  return { email: row.email, reason: row.reason, created_at: iso(row.createdAt) };
}
