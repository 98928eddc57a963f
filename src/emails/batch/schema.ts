import { z } from "zod";

/** What became of each item, in the order they came (specification: Batch result). */
export const BatchOut = z
  .object({
    total: z.int(),
    sent: z.int().describe("Items that were accepted for delivery."),
    failed: z.int(),
    results: z.array(
      z.object({
        id: z.uuid().nullable(),
        status: z.enum(["queued", "scheduled", "rejected", "error"]),
        rejection_reason: z.string().nullable(),
      }),
    ),
  })
  .meta({ ref: "BatchResult" });
export type BatchOut = z.output<typeof BatchOut>;
