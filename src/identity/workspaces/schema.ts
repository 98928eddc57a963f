import * as z from "zod";
import type { Role } from "../../access/caller.ts";
import { isTimeZone } from "../../lib/local-time.ts";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { paragraphText } from "../../lib/text-fields.ts";
import { UNPRINTABLE } from "../../lib/text-rules.ts";
import { isSlackWebhookUrl, MAX_SLACK_URL } from "../../notices/notification-channels/index.ts";
import { raisedTables } from "../../platform/budgets/spent.ts";
import { pausedSources } from "../../platform/bulk-pauses/rules.ts";
import type { Ctx } from "../../platform/context.ts";
import { pictureUrl } from "../pictures/index.ts";
import type { WorkspaceRow } from "./queries.ts";
import { limits } from "./rules.ts";

const Name = z
  .string()
  .refine((name) => !UNPRINTABLE.test(name), "name must not contain control characters or line breaks")
  .trim()
  .refine(
    (name) =>
      name !== "" && name.length <= 2 * limits.nameCharacters && Array.from(name).length <= limits.nameCharacters,
    `name must have 1 to ${limits.nameCharacters} characters`,
  )
  .meta({ minLength: 1, maxLength: limits.nameCharacters });

export const WorkspaceIn = z
  .object({ name: Name })
  // `example`, not `examples`: zod drops those of a schema with a transform.
  .meta({ ref: "WorkspaceCreate", example: { name: "Example Shop" } });
export type WorkspaceIn = z.output<typeof WorkspaceIn>;

const tracking = z.boolean().nullable().optional();

/** How recipients see the workspace: on pages behind links in emails, in emails that ask for confirmation, and in new templates. */
export const BrandIn = z.object({
  logo_url: z.string().max(200).nullable().optional().describe("URL of a picture of the workspace."),
  color: z
    .string()
    .max(7)
    .regex(/^#[0-9a-f]{6}$/i, "color must be # and six hexadecimal digits")
    .toLowerCase()
    .nullable()
    .optional()
    .describe("Colour of buttons, as `#` and six hexadecimal digits. Their text is black or white."),
  address: paragraphText("address", limits.addressCharacters)
    .refine((text) => !UNPRINTABLE.test(text.replaceAll("\n", "")), "address must not contain control characters")
    .nullable()
    .optional()
    .meta({ type: ["string", "null"], anyOf: undefined, minLength: 1, maxLength: limits.addressCharacters })
    .describe("Postal address, in lines."),
});

export const WorkspacePatch = z
  .object({
    name: Name.optional(),
    sending_paused: z
      .boolean()
      .optional()
      .describe("true: calls that send return 403, and queued emails wait until the pause ends."),
    settings: z
      .object({
        tracking_opens: tracking.describe("null: the default, as in the response."),
        tracking_clicks: tracking.describe("null: the default, as in the response."),
        time_zone: z
          .string()
          .max(64)
          .refine(isTimeZone, "time_zone must be the IANA name of a zone, such as Europe/Berlin")
          .nullable()
          .optional()
          .describe("Zone in which automations wait for an hour, for people without a zone of their own. null: UTC."),
        retention_days: z
          .int()
          .min(1)
          .nullable()
          .optional()
          .describe(
            "Days after which emails and the inbound log are deleted, at most those of the deployment. null: those of the deployment. Fewer days delete older mail within the hour, for good.",
          ),
        brand: BrandIn.nullable()
          .optional()
          .describe("How recipients see the workspace, beside its name. Absent members stay; null removes."),
        slack_webhook_url: z
          .string()
          .refine(
            isSlackWebhookUrl,
            "slack_webhook_url must be an incoming webhook, https://hooks.slack.com/services/…",
          )
          .nullable()
          .optional()
          .meta({ maxLength: MAX_SLACK_URL, pattern: "^https://hooks\\.slack(-gov)?\\.com/" })
          .describe("URL of an incoming webhook of Slack. It is never shown again. null removes it."),
      })
      .optional(),
  })
  .meta({ ref: "WorkspaceUpdate", example: { sending_paused: true, settings: { tracking_opens: false } } });
export type WorkspacePatch = z.output<typeof WorkspacePatch>;

/** A workspace in its API shape. */
export const WorkspaceOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    role: z.enum(["owner", "admin", "member"]).describe("The role of the caller."),
    sending_paused: z.boolean(),
    bulk_paused_at: timestamp
      .nullable()
      .describe(
        "Since when the mail of `paused_sources` waits, because too much of it bounced or was marked as spam. null: none does.",
      ),
    paused_sources: z
      .array(z.string())
      .describe("Sources of emails that wait until an owner resumes them; calls that send such mail return 403."),
    settings: z.object({
      tracking_opens: z
        .boolean()
        .nullable()
        .describe("Whether opens are tracked. null: tracked in bulk and broadcast emails, not in single sends."),
      tracking_clicks: z.boolean().nullable().describe("Whether clicks are tracked. null: as for opens."),
      time_zone: z.string().nullable().describe("IANA name of the zone of automations. null: UTC."),
      retention_days: z.number().nullable().describe("Days for which emails are kept. null: those of the deployment."),
      brand: z
        .object({ logo_url: z.url().nullable(), color: z.string().nullable(), address: z.string().nullable() })
        .describe("How recipients see the workspace, beside its name."),
      slack_webhook_url: z.boolean().describe("Whether a Slack webhook URL is set."),
    }),
    created_at: timestamp,
  })
  .meta(
    named("Workspace", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
      name: "Example Shop",
      slug: "example-shop",
      role: "owner",
      sending_paused: false,
      bulk_paused_at: null,
      paused_sources: [],
      settings: {
        tracking_opens: null,
        tracking_clicks: null,
        time_zone: null,
        retention_days: null,
        brand: { logo_url: null, color: "#1f5fbf", address: "Example Shop, High Street 1, Ulm" },
        slack_webhook_url: false,
      },
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type WorkspaceOut = z.output<typeof WorkspaceOut>;

type PauseColumn = "sendingPausedAt" | "bulkPause" | "bulkPausedAt";

/** Serializes a workspace with the caller's role in it. */
export function toWorkspace(
  ctx: Pick<Ctx, "settings">,
  row: Pick<WorkspaceRow, "id" | "name" | "slug" | "settings" | "createdAt" | "slackWebhookUrl" | PauseColumn>,
  role: Role,
): WorkspaceOut {
  const { logo, color = null, address = null } = row.settings.brand ?? {};
  return serialize(WorkspaceOut, {
    ...row,
    role,
    sendingPaused: row.sendingPausedAt !== null,
    pausedSources: pausedSources(row.bulkPause),
    settings: {
      tracking_opens: row.settings.tracking_opens ?? null,
      tracking_clicks: row.settings.tracking_clicks ?? null,
      time_zone: row.settings.time_zone ?? null,
      retention_days: row.settings.retention_days ?? null,
      brand: { logo_url: logo === undefined ? null : pictureUrl(ctx, logo), color, address },
      slack_webhook_url: row.slackWebhookUrl !== null,
    },
  });
}

/** One budget of a workspace. */
export const UsageOut = z
  .object({
    of: z.enum(raisedTables).describe("The kind of records, as `workspaces budget` of the operator names it."),
    name: z.string(),
    used: z.int(),
    limit: z.int(),
    at_limit: z.string().describe("Advice for a workspace that has as many as it may."),
  })
  .meta(named("Usage", { of: "topics", name: "topics", used: 3, limit: 100, at_limit: "delete one first" }));
export type UsageOut = z.output<typeof UsageOut>;
