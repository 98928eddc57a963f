import { env } from "cloudflare:workers";
import { forwardCases } from "../../access/forward-cases.ts";
import { pictureCases } from "../../access/picture-cases.ts";
import { reportingCases } from "../../access/reporting-cases.ts";
import { webhookCases } from "../../access/webhook-cases.ts";
import { insertCredential } from "../../support/smtp-credentials.ts";
import { insertTransfer, ownerOf } from "../../support/transfers.ts";
import { aMail, type TestWorkspace, testContext } from "../../support/workspace.ts";

interface Caller {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** Submits a form of a page as a browser does. */
export const submit = (by: Caller, path: string, fields: Record<string, string> | [string, string][] = {}) =>
  by.call("POST", path, `${new URLSearchParams(fields)}`, { "Content-Type": "application/x-www-form-urlencoded" });

/** Returns a page without the time of its response, from which the script shows how long ago other times are. */
export const withoutClock = (html: string) => html.replace(/ data-now="\d+"/, "");

/** Returns ids of what a workspace has, by the names of the parameters of pages. */
export async function foreignIds(of: TestWorkspace): Promise<Record<string, string>> {
  const email = await of.create("/v1/emails/", aMail(of));
  const transfer = await insertTransfer({ source: of, email: await ownerOf(of) });
  const invitation_id = testContext().newId();
  const invite = env.DB.prepare(
    "INSERT INTO invitations (id, workspace, email, email_key, role, hash, invited_by, created_at, expires_at) VALUES (?1, ?2, 'g@example.org', 'g@example.org', 'member', ?3, ?4, 0, ?5)",
  );
  await invite.bind(invitation_id, of.workspaceNumber, invitation_id, of.userId, Date.now() + 60_000).run();
  return {
    email_id: email.id,
    domain_id: of.domainId,
    transfer_id: transfer.id,
    mailbox_id: of.mailboxId,
    credential_id: (await insertCredential(of, { domain_id: of.domainId })).id,
    invitation_id,
    ...(await bulkIds(of)),
    ...(await pictureCases["DELETE /v1/pictures/:picture_id"]?.create?.(of)),
    ...(await webhookCases["GET /v1/webhooks/:webhook_id/deliveries/:delivery_id"]?.create?.(of)),
    ...(await forwardCases["GET /v1/forwarding-rules/:rule_id"].create(of)),
    ...(await forwardCases["GET /v1/emails/inbound/:message_id"].create(of)),
    ...(await reportingCases["POST /v1/notifications/:notification_id/read"].create(of)),
    user_id: of.userId,
  };
}

async function bulkIds(of: TestWorkspace): Promise<Record<string, string>> {
  const create = async (path: string, body: unknown) => (await of.create(path, body)).id;
  const list_id = await create("/v1/contacts/", { name: "Foreign" });
  const broadcast_id = await create("/v1/broadcasts/", {
    ...{ name: "Foreign", subject: "S", text_body: "T", html_body: "<p>T</p>", from_address: of.mailbox },
    contact_list_id: list_id,
  });
  return {
    list_id,
    broadcast_id,
    contact_id: await create(`/v1/contacts/${list_id}/contacts`, { email: "ada@example.org" }),
    template_id: await create("/v1/templates/", { name: "Foreign", html_body: "<p>T</p>" }),
    variant_id: await create(`/v1/broadcasts/${broadcast_id}/variants`, { label: "B", subject: "S" }),
  };
}
