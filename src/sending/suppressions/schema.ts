import * as z from "zod";
import { uuidText } from "../../lib/id-field.ts";
import { iso } from "../../lib/time.ts";
import { importExample, importedRows } from "../../platform/csv-imports/schema.ts";
import type { SuppressionRow } from "./queries.ts";
import { reasons, suppressionReasons } from "./rules.ts";

/** A new entry of the suppression list. */
export const SuppressionIn = z
  .object({
    email: z.string().max(1000).meta({ minLength: 3, maxLength: 254, pattern: "@" }),
    reason: z
      .enum(reasons)
      .default("manual")
      .describe("`unsubscribe` applies to bulk and broadcast mail only; every other reason applies to all mail."),
    topic_id: uuidText()
      .nullish()
      .describe("With the reason `unsubscribe`: from this topic only. null: from all bulk mail."),
  })
  .refine(({ reason, topic_id }) => !topic_id || reason === "unsubscribe", {
    path: ["topic_id"],
    message: "topic_id needs the reason unsubscribe",
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
    topic_id: z.uuid().nullable().describe("Of an unsubscribe from one topic. null: for all mail of the reason."),
    created_at: z.string().meta({ format: "date-time" }),
  })
  .meta({
    ref: "Suppression",
    examples: [{ email: "ada@example.org", reason: "manual", topic_id: null, created_at: "2026-11-21T14:00:00.000Z" }],
  });
export type SuppressionOut = z.output<typeof SuppressionOut>;

export const SuppressionImportQuery = z.object({
  reason: z.enum(reasons).default("manual").describe("The reason of rows that name none."),
});

export const SuppressionImportOut = importedRows({
  imported: "Addresses that are new, got a stronger reason, or an unsubscribe beside another one.",
  skipped: "Other addresses that are suppressed already, and rows without an address.",
}).meta({ ref: "SuppressionImport", examples: [importExample] });

/** Serializes an entry of the suppression list. */
export function toSuppression(
  row: Omit<SuppressionRow, "topicId" | "topicName"> & { topicId?: string | null },
): SuppressionOut {
  return { email: row.email, reason: row.reason, topic_id: row.topicId ?? null, created_at: iso(row.createdAt) };
}
