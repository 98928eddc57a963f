import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import type { erasures } from "../../platform/db/schema/main/index.ts";

/** The data that an erasure leaves, and why (docs/contract/people.md#erasure). */
const KEPT = [
  {
    what: "suppressions and choices of topics, under a keyed hash of the address",
    why: "An address that left or bounced must get no mail when it is imported again.",
  },
  { what: "mail in hosted mailboxes and its log", why: "It belongs to the users of the mailboxes." },
  { what: "backups", why: "They end by age." },
  {
    what: "emails to others, templates, broadcasts and settings, also where their text names the address",
    why: "They were written by the workspace and are not addressed to the person.",
  },
  { what: "counts", why: "They name no person." },
];

export const ErasureOut = z
  .object({
    id: z.uuid(),
    status: z.enum(["running", "done"]),
    removed: z.record(z.string(), z.int()).describe("Rows that were deleted or changed, by kind."),
    kept: z.array(z.object({ what: z.string(), why: z.string() })).describe("What is not erased."),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta(
    named("PersonErasure", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a30",
      status: "running",
      removed: {},
      kept: KEPT,
      created_at: "2026-11-21T14:00:00.000Z",
      finished_at: null,
    }),
  );
export type ErasureOut = z.output<typeof ErasureOut>;

/** A row of `erasures`. Times in milliseconds since 1970. */
export type ErasureRow = Pick<typeof erasures.$inferSelect, "id" | "removed" | "createdAt" | "finishedAt">;

/** Serializes a receipt. */
export function toErasure(row: ErasureRow): ErasureOut {
  const removed = JSON.parse(row.removed) as Record<string, number>;
  return serialize(ErasureOut, { ...row, status: row.finishedAt === null ? "running" : "done", removed, kept: KEPT });
}
