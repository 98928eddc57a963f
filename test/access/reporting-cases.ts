import { type TestWorkspace, testContext } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const createNotification = async ({ workspaceNumber, userId }: TestWorkspace) => {
  const ctx = testContext();
  const id = ctx.newId();
  await ctx.db
    .prepare(
      "INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, created_at) VALUES (?1, ?2, ?3, 'alerts', 'info', 'A title', 'A body.', ?4)",
    )
    .bind(id, workspaceNumber, userId, ctx.now())
    .run();
  return { notification_id: id };
};

const createBroadcast = async (workspace: TestWorkspace) => {
  const body = { name: "A broadcast", subject: "A subject", from_address: workspace.mailbox, text_body: "A text." };
  return { broadcast_id: (await workspace.create("/v1/broadcasts/", body)).id };
};

/** The routes of notifications, analytics and the audit log. */
export const reportingCases = {
  "GET /v1/notifications": { success: 200 },
  "POST /v1/notifications/read-all": { success: 200 },
  "POST /v1/notifications/:notification_id/read": { success: 200, create: createNotification, isPerUser: true },
  "GET /v1/notifications/preferences": { success: 200 },
  "PUT /v1/notifications/preferences": { success: 200, body: () => ({ preferences: { team: { web: true } } }) },
  "GET /v1/analytics/overview": { success: 200 },
  "GET /v1/analytics/timeseries": { success: 200 },
  "GET /v1/analytics/domain-stats": { success: 200 },
  "GET /v1/analytics/deliverability": { success: 200 },
  "GET /v1/analytics/broadcasts/:broadcast_id": { success: 200, create: createBroadcast },
  "GET /v1/audit": { success: 200 },
} satisfies Record<string, RouteCase>;
