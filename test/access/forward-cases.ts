import { onShard } from "../../src/platform/jobs/shards.ts";
import { type TestWorkspace, testContext } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const createInbound = async ({ mailShard, workspaceNumber, mailboxId, domainId }: TestWorkspace) => {
  const id = crypto.randomUUID();
  await onShard(testContext(), mailShard)
    .mail.prepare(
      `INSERT INTO inbound_emails (workspace, id, mailbox_id, domain_id, from_address, recipient, subject, text_preview,
         attachment_count, authentication, events, received_at)
       VALUES (?1, ?2, ?3, ?4, 'ada@example.org', 'hello@example.com', 'A subject', 'A text.', 0, '{}', '[]', ?5)`,
    )
    .bind(workspaceNumber, id, mailboxId, domainId, Date.now())
    .run();
  return { message_id: id };
};

const aRule = (of: TestWorkspace) => ({
  domain_id: of.domainId,
  action: { type: "mailbox", target: of.mailboxId },
});

const createRule = async (workspace: TestWorkspace) => {
  const { id } = await workspace.create("/v1/forwarding-rules/", aRule(workspace));
  // A workspace has at most 200 rules.
  await testContext()
    .db.prepare("DELETE FROM forwarding_rules WHERE workspace = ?1 AND id <> ?2")
    .bind(workspace.workspaceNumber, id)
    .run();
  return { rule_id: id };
};

const mailboxAction = (target: string) => ({ action: { type: "mailbox", target } });

/** The routes of the inbound log and of forwarding rules. */
export const forwardCases = {
  "GET /v1/emails/inbound/:message_id": { success: 200, create: createInbound },
  "GET /v1/forwarding-rules/": { success: 200 },
  "POST /v1/forwarding-rules/": {
    success: 201,
    body: aRule,
    places: {
      domain_id: { of: "domain", body: (own, id) => ({ ...aRule(own), domain_id: id }) },
      mailbox_id: { of: "mailbox", body: (own, id) => ({ ...aRule(own), domain_id: null, mailbox_id: id }) },
      target: { of: "mailbox", body: (own, id) => ({ ...aRule(own), ...mailboxAction(id) }) },
    },
  },
  "GET /v1/forwarding-rules/:rule_id": { success: 200, create: createRule },
  "PATCH /v1/forwarding-rules/:rule_id": {
    success: 200,
    create: createRule,
    body: () => ({ is_active: false }),
    places: { target: { of: "mailbox", body: (_, id) => mailboxAction(id) } },
  },
  "DELETE /v1/forwarding-rules/:rule_id": { success: 204, create: createRule },
  "GET /forwards/:token": { success: 404 },
  "POST /forwards/:token": { success: 404 },
  "GET /forwarded-files/:token": { success: 404 },
} satisfies Record<string, RouteCase>;
