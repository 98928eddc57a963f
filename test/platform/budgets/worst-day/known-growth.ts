/**
 * MEASURED BY CRON: places whose budget the service measures from time to time instead of at each INSERT. An attack on them may go on
 * until the next measurement, so it may not be refused yet. Remove an entry when its INSERT counts.
 */
export const measuredByCron: readonly string[] = [
  "main audit_log",
  "main erasures",
  "main suppressions",
  "main topic_choices",
  "mail broadcasts",
  "mail contacts",
  "mail emails",
  "mail events",
  "R2 emails",
  "R2 batches",
  "R2 packs",
  "R2 broadcasts",
];

/**
 * FINDINGS: places that neither a budget nor a reason bounds, with the attacks that grow them. One that a budget ends fails the test
 * until it leaves the list.
 */
export const findings: Readonly<Record<string, readonly string[]>> = {
  // Revoked and replaced keys stay, and the budget counts valid ones.
  "main api_keys": ["POST /v1/api-keys/:api_key_id/rotate", "DELETE /v1/api-keys/:api_key_id, of a new key"],
  // Each workspace has budgets and rates of its own.
  "main workspaces": ["POST /v1/workspaces/"],
  "main memberships": ["POST /v1/workspaces/"],
  // The row of a closed workspace stays when the workspace is purged.
  "mail shard_workspaces": ["DELETE /v1/workspaces/:workspace_id, of a new one"],
  // Deleted credentials stay.
  "main smtp_credentials": ["POST /v1/smtp-credentials/, and its deletion"],
  // A response of a creation is kept for two days, and a row of its key has up to 16 KiB.
  "main idempotency_keys": [
    "DELETE /v1/templates/:template_id, of a new one with an Idempotency-Key whose response its row has",
    "DELETE /v1/templates/:template_id, of a new one with an Idempotency-Key whose response is an object",
  ],
  "R2 responses": [
    "DELETE /v1/templates/:template_id, of a new one with an Idempotency-Key whose response is an object",
  ],
  // Archived automations stay with their contents, and the budget counts the others.
  "mail automations": ["POST /v1/automations/:automation_id/archive, of a new automation"],
  // A version that had a run stays.
  "mail automation_versions": ["PATCH /v1/automations/:automation_id, after a run of each version"],
  // A further consent of the same contact is a further row.
  "mail consents": ["PUT /v1/contacts/:list_id/contacts, of one person, each time with another consent"],
  // Uploaded files are kept for a day, and the quota of the mailbox does not count them.
  "R2 mailboxes": ["POST /v1/inbox/:mailbox_id/files"],
  "mail inbound_emails": ["POST /gateway/mail, which strangers send to a mailbox"],
  "mail webhook_deliveries": [
    "POST /v1/emails/, whose events go to webhooks",
    "POST /v1/webhooks/:webhook_id/test",
    "POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/replay",
    "DELETE /v1/webhooks/:webhook_id, of a new one that was tested",
  ],
  "main notifications": [
    "POST /v1/broadcasts/:broadcast_id/send, of a new copy",
    "POST /v1/automations/:automation_id/activate, an event that makes it notify, and a pause",
  ],
  "main notified_events": [
    "POST /v1/broadcasts/:broadcast_id/send, of a new copy",
    "POST /v1/automations/:automation_id/activate, an event that makes it notify, and a pause",
  ],
};
