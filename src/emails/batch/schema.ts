import { z } from "zod";

/** One result for each item, in the order of the request (specification: Batch result). */
export const BatchOut = z
  .object({
    total: z.int(),
    sent: z.int().describe("Number of items accepted for delivery."),
    failed: z.int().describe("Number of items refused or rejected."),
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
