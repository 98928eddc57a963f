import { expect, it } from "vitest";
import { mountedRoutes } from "../support/route-tests.ts";

/** The endpoints of the first version of the API. Clients call them, so none may disappear. */
const ENDPOINTS = `
  POST /v1/emails/
  POST /v1/emails/batch
  POST /v1/emails/validate
  GET /v1/emails/
  GET /v1/emails/updates
  GET /v1/emails/search
  GET /v1/emails/scheduled
  DELETE /v1/emails/scheduled/{email_id}
  POST /v1/emails/scheduled/{email_id}/send-now
  GET /v1/emails/{email_id}
  POST /v1/emails/{email_id}/retry
  GET /v1/emails/{email_id}/events
  GET /v1/emails/saved-searches
  PUT /v1/emails/saved-searches
  GET /v1/emails/inbound/{message_id}
  POST /v1/contacts/
  GET /v1/contacts/
  GET /v1/contacts/{list_id}
  PATCH /v1/contacts/{list_id}
  DELETE /v1/contacts/{list_id}
  POST /v1/contacts/{list_id}/contacts
  DELETE /v1/contacts/{list_id}/contacts/{contact_id}
  POST /v1/contacts/{list_id}/upload
  GET /v1/contacts/{list_id}/export
  POST /v1/contacts/{list_id}/send
  GET /v1/broadcasts/
  POST /v1/broadcasts/
  GET /v1/broadcasts/{broadcast_id}
  PATCH /v1/broadcasts/{broadcast_id}
  DELETE /v1/broadcasts/{broadcast_id}
  POST /v1/broadcasts/{broadcast_id}/send
  POST /v1/broadcasts/{broadcast_id}/promote/{variant_id}
  POST /v1/broadcasts/{broadcast_id}/cancel
  GET /v1/broadcasts/{broadcast_id}/top-links
  GET /v1/broadcasts/{broadcast_id}/variants
  POST /v1/broadcasts/{broadcast_id}/variants
  PATCH /v1/broadcasts/{broadcast_id}/variants/{variant_id}
  DELETE /v1/broadcasts/{broadcast_id}/variants/{variant_id}
  POST /v1/templates/
  GET /v1/templates/
  GET /v1/templates/{template_id}
  PATCH /v1/templates/{template_id}
  DELETE /v1/templates/{template_id}
  POST /v1/templates/{template_id}/duplicate
  POST /v1/domains/{domain_id}/transfer
  GET /v1/domain-transfers/incoming
  GET /v1/domain-transfers/outgoing
  GET /v1/domain-transfers/accept-eligibility
  POST /v1/domain-transfers/{token}/accept
  POST /v1/domain-transfers/by-id/{transfer_id}/accept
  POST /v1/domain-transfers/{transfer_id}/decline
  DELETE /v1/domain-transfers/{transfer_id}
  POST /v1/domain-transfers/stop/{stop_token}
  POST /v1/admin/domain-transfers/{domain_id}
  POST /v1/smtp-credentials/
  GET /v1/smtp-credentials/
  DELETE /v1/smtp-credentials/{credential_id}
  GET /v1/analytics/overview
  GET /v1/analytics/timeseries
  GET /v1/analytics/domain-stats
  GET /v1/inbox/{mailbox_id}/folders
  GET /v1/inbox/{mailbox_id}/messages
  GET /v1/inbox/{mailbox_id}/search
  GET /v1/inbox/{mailbox_id}/messages/{uid}
  POST /v1/inbox/{mailbox_id}/messages/{uid}/flags
  POST /v1/inbox/{mailbox_id}/messages/{uid}/move
  POST /v1/inbox/{mailbox_id}/messages/{uid}/spam
  POST /v1/inbox/{mailbox_id}/messages/{uid}/not-spam
  DELETE /v1/inbox/{mailbox_id}/messages/{uid}
  POST /v1/inbox/{mailbox_id}/send
  GET /v1/inbox/{mailbox_id}/attachments/{uid}/{part_id}
  GET /v1/inbox/{mailbox_id}/labels
  POST /v1/inbox/{mailbox_id}/labels
  GET /v1/inbox/{mailbox_id}/scheduled
  GET /v1/inbox/{mailbox_id}/quota
  GET /v1/inbox/{mailbox_id}/storage-sections
  GET /v1/webhooks/
  POST /v1/webhooks/
  PATCH /v1/webhooks/{webhook_id}
  DELETE /v1/webhooks/{webhook_id}
  POST /v1/webhooks/{webhook_id}/test
  GET /v1/webhooks/{webhook_id}/deliveries
  GET /v1/webhooks/{webhook_id}/deliveries/{delivery_id}
  GET /v1/webhook-deliveries/{delivery_id}
  GET /v1/notifications
  POST /v1/notifications/{notification_id}/read
  POST /v1/notifications/read-all
  GET /v1/notifications/preferences
  PUT /v1/notifications/preferences
`;

/** Returns a route without the names of its parameters, which may change. */
const shapeOf = (route: string) => route.replace(/\{\w+\}|:\w+/g, "{}");

it("every one of the 89 endpoints of the first version is mounted", () => {
  const endpoints = ENDPOINTS.trim()
    .split("\n")
    .map((line) => line.trim());
  const mounted = new Set(mountedRoutes().map(shapeOf));
  expect(endpoints).toHaveLength(89);
  expect(endpoints.filter((endpoint) => !mounted.has(shapeOf(endpoint)))).toEqual([]);
});
