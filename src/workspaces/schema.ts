import { z } from "zod";
import type { Role } from "../context.ts";
import type { workspaces } from "../db/schema/main/index.ts";
import { iso } from "../lib/time.ts";

/** A workspace in its API shape (decisions 2). */
export const WorkspaceOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    role: z.enum(["owner", "admin", "member"]).describe("The role of the caller."),
    sending_paused: z.boolean(),
    settings: z.object({
      tracking_opens: z
        .boolean()
        .nullable()
        .describe("Whether opens are tracked. null: tracked in bulk and broadcast emails, not in single sends."),
      tracking_clicks: z.boolean().nullable().describe("Whether clicks are tracked. null: as for opens."),
      slack_webhook_url: z.boolean().describe("Whether a Slack webhook URL is set."),
    }),
    created_at: z.string().meta({ format: "date-time" }),
  })
  .meta({
    ref: "Workspace",
    examples: [
      {
        id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
        name: "Example Shop",
        slug: "example-shop",
        role: "owner",
        sending_paused: false,
        settings: { tracking_opens: null, tracking_clicks: null, slack_webhook_url: false },
        created_at: "2026-11-21T14:00:00.000Z",
      },
    ],
  });
export type WorkspaceOut = z.output<typeof WorkspaceOut>;

/** Serializes a workspace with the caller's role in it. */
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
