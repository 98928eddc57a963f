import * as z from "zod";
import { named } from "../../../lib/serialize.ts";
import { Warnings } from "../schema.ts";

/** One result for each item, in the order of the request (docs/contract/emails.md#batches). */
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
        warnings: Warnings,
      }),
    ),
  })
  .meta(
    named("BatchResult", {
      total: 1,
      sent: 1,
      failed: 0,
      results: [{ id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01", status: "queued", rejection_reason: null }],
    }),
  );
export type BatchOut = z.output<typeof BatchOut>;
