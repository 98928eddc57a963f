import { z } from "zod";
import type { Role } from "../context.ts";
import type { workspaces } from "../db/schema/index.ts";
import { iso } from "../lib/time.ts";

/** A workspace as the API shows it (decisions 2). */
export const WorkspaceOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    role: z.enum(["owner", "admin", "member"]).describe("The caller's."),
    sending_paused: z.boolean(),
    settings: z.object({
      tracking_opens: z.boolean().nullable().describe("Null: on for bulk and broadcast mail, off for single sends."),
      tracking_clicks: z.boolean().nullable().describe("Likewise."),
      slack_webhook_url: z.boolean().describe("Whether one is set."),
    }),
    created_at: z.string().meta({ format: "date-time" }),
  })
  .meta({ ref: "Workspace" });
export type WorkspaceOut = z.output<typeof WorkspaceOut>;

export function toWorkspace(row: typeof workspaces.$inferSelect, role: Role): WorkspaceOut {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    role,
    sending_paused: row.sendingPausedAt !== null,
    settings: {
      tracking_opens: row.settings.tracking_opens ?? null,
      tracking_clicks: row.settings.tracking_clicks ?? null,
      slack_webhook_url: false,
    },
    created_at: iso(row.createdAt),
  };
}
