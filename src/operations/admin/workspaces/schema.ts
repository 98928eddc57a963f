import * as z from "zod";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";
import { MOST_COUNTED, MOST_MEASURED } from "../../../platform/budgets/budget.ts";
import { mostRaised, raisedTables } from "../../../platform/budgets/spent.ts";
import type { WorkspaceRow } from "./queries.ts";

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
  name: "Example Shop",
  slug: "example-shop",
  sending_paused_at: "2026-11-21T14:00:00.000Z",
  paused_by_platform_at: "2026-11-21T14:00:00.000Z",
  shut_at: null,
  bulk_paused_at: null,
  daily_limit: 50_000,
  budgets: {},
  egress: null,
  mail_databases: [0],
  created_at: "2026-11-20T14:00:00.000Z",
};

/** A workspace, as administrators of the platform see it. */
export const PlatformWorkspaceOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    sending_paused_at: timestamp.nullable().describe("Set: nothing is sent, and queued emails wait."),
    paused_by_platform_at: timestamp.nullable().describe("Set: the platform paused it, and its owners cannot resume."),
    shut_at: timestamp.nullable().describe("Set: its keys and sign-ins are refused until it is resumed."),
    bulk_paused_at: timestamp
      .nullable()
      .describe("Set: its bulk mail waits, because too much of its mail bounced or was marked as spam."),
    daily_limit: z
      .int()
      .nullable()
      .describe("Emails that it may have accepted in a day (UTC); 0: no limit. Null: the limit of the deployment."),
    budgets: z
      .record(z.string(), z.int())
      .describe("How many records it may have of the kinds whose default was changed."),
    egress: z.string().nullable().describe("Name of the egress of its own; null: it has none."),
    mail_databases: z.array(z.int()).describe("Numbers of its mail databases, newest first."),
    created_at: timestamp,
  })
  .meta(named("PlatformWorkspace", example));

/** A workspace that was shut, and what left it before. */
export const ShutWorkspaceOut = z
  .object({
    workspace: PlatformWorkspaceOut,
    left: z
      .array(z.object({ domain: z.string(), recipients: z.int() }))
      .describe("Domains of the recipients that mail left for in the last day, the 100 with the most first."),
  })
  .meta(
    named("ShutWorkspace", {
      workspace: { ...example, shut_at: example.paused_by_platform_at },
      left: [{ domain: "example.org", recipients: 5_210 }],
    }),
  );

/** The limit of emails a day of a workspace. */
export const DailyLimitIn = z
  .object({
    daily_limit: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .nullable()
      .describe("Emails that it may have accepted in a day (UTC); 0: no limit. Null: the limit of the deployment."),
  })
  .meta(named("DailyLimitIn", { daily_limit: 50_000 }));

/** A budget of a workspace. */
export const BudgetIn = z
  .object({
    of: z.enum(raisedTables).describe("The kind of records."),
    rows: z.int().min(1).max(MOST_MEASURED).nullable().describe("How many it may have. Null: the default."),
  })
  .refine(({ of, rows }) => rows === null || rows <= mostRaised(of), {
    path: ["rows"],
    error: `The most of these is ${MOST_COUNTED.toLocaleString("en")}`,
  })
  .meta(named("BudgetIn", { of: "domains", rows: null }));

/** Serializes a workspace. */
export const toPlatformWorkspace = (row: WorkspaceRow): z.output<typeof PlatformWorkspaceOut> =>
  serialize(PlatformWorkspaceOut, { ...row, mailDatabases: row.mailShards });
