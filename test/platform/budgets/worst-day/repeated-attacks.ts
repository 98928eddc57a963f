import { cases } from "../../../access/cases.ts";
import { callRoute, routeScopes } from "../../../support/route-tests.ts";
import { aSession } from "../../../support/sessions.ts";
import type { Attack } from "./attack.ts";

/** Operations that change or read one record, with any number of calls. Their cases are those of the access matrix. */
const REPEATED = [
  "PATCH /v1/workspaces/:workspace_id",
  "PATCH /v1/webhooks/:webhook_id",
  "PATCH /v1/templates/:template_id",
  "PATCH /v1/topics/:topic_id",
  "PATCH /v1/segments/:segment_id",
  "PATCH /v1/mailboxes/:mailbox_id",
  "PATCH /v1/forwarding-rules/:rule_id",
  "PATCH /v1/broadcasts/:broadcast_id/variants/:variant_id",
  "PATCH /v1/emails/scheduled/:email_id",
  "PATCH /compat/resend/emails/:email_id",
  "PATCH /v1/inbox/:mailbox_id/filters/:filter_id",
  "PATCH /v1/inbox/:mailbox_id/labels/:label_id",
  "PATCH /v1/inbox/:mailbox_id/saved-replies/:reply_id",
  "PATCH /v1/inbox/:mailbox_id/threads/:thread_id",
  "PUT /v1/notifications/preferences",
  "PUT /v1/emails/saved-searches",
  "PUT /v1/mailboxes/:mailbox_id/password",
  "PUT /v1/mailboxes/:mailbox_id/assignees",
  "PUT /v1/inbox/:mailbox_id/messages/:uid/labels",
  "POST /v1/auth/totp/setup",
  "POST /v1/notifications/read-all",
  "POST /v1/notifications/:notification_id/read",
  "POST /v1/workspaces/:workspace_id/resume-bulk",
  "POST /v1/emails/validate",
  "POST /v1/templates/:template_id/preview",
  "POST /v1/automations/:automation_id/dry-run",
  "POST /v1/inbox/:mailbox_id/messages/:uid/flags",
  "POST /v1/inbox/:mailbox_id/messages/batch",
];

/** Calls beyond the moves that a scheduled email admits, which are the most that any of these has. */
const MOVES = 110;

/** Attacks by the same call of one record, again and again. */
export const repeatedAttacks: readonly Attack[] = REPEATED.map((operation) => ({
  operation,
  way: "of one record",
  ...(operation.includes("email_id") ? { calls: MOVES } : {}),
  prepare: async (attacker) => {
    const { create, body, query = "", headers } = cases[operation] ?? { success: 200 };
    const ids = (await create?.(attacker)) ?? {};
    const api = routeScopes[operation] === "session" ? await aSession(attacker) : attacker;
    return () => callRoute(api, `${operation}${query}`, ids, body?.(attacker, ids), headers);
  },
}));
