import { DAY_MS } from "../../../../src/lib/time.ts";
import { multipart } from "../../../audience/contacts/csv-support.ts";
import { aReceiver, webhooksOf } from "../../../notices/webhooks/support.ts";
import { uniqueDomainName } from "../../../support/domains.ts";
import { runOutboxAt } from "../../../support/run-outbox-at.ts";
import { apiWithCookies, aSession, cookiesOf } from "../../../support/sessions.ts";
import { aMail, type TestWorkspace } from "../../../support/workspace.ts";
import { type Attack, anAddress, textOf } from "./attack.ts";
import { deleteObjects } from "./delete-objects.ts";

const aLocalPart = () => `m${crypto.randomUUID()}`;

interface Cycle extends Pick<Attack, "way" | "calls" | "finish"> {
  /** Returns the last part of the path of the deletion. Default: the id. */
  idOf?: (created: Record<string, string>) => string | undefined;
  /** The path of the deletions. Default: that of the creation. */
  deletedAt?: string;
}

/** Runs what deletions have left for later, as a day does. */
const finish = () => runOutboxAt(Date.now() + DAY_MS, {}, ["deliver", "purge", "release", "confirm", "forward"]);

/** Returns an attack that creates something at `path` and deletes it by `operation`, so that no budget is reached. */
const cycle = (
  operation: string,
  path: string | ((attacker: TestWorkspace) => Promise<string>),
  create: (attacker: TestWorkspace) => unknown,
  { idOf = ({ id }) => id, deletedAt, ...more }: Cycle = {},
): Attack => ({
  operation,
  way: "of a new one",
  requests: 2,
  finish,
  ...more,
  prepare: async (attacker) => {
    const list = typeof path === "string" ? path : await path(attacker);
    return async () => {
      const created = await attacker.post(list, create(attacker));
      if (!created.ok) return created;
      const id = idOf(await created.json<Record<string, string>>());
      return attacker.call("DELETE", `${(deletedAt ?? list).replace(/\/$/, "")}/${id}`);
    };
  },
});

const listOf = async (attacker: TestWorkspace) =>
  `/v1/contacts/${(await attacker.create("/v1/contacts/", { name: "A list" })).id}`;
const inMailbox =
  (rest: string) =>
  async ({ mailboxId }: TestWorkspace) =>
    `/v1/mailboxes/${mailboxId}/${rest}`;
const inInbox =
  (rest: string) =>
  async ({ mailboxId }: TestWorkspace) =>
    `/v1/inbox/${mailboxId}/${rest}`;
const aBroadcast = ({ mailbox }: TestWorkspace) => ({
  ...{ name: textOf(200), subject: textOf(998), from_address: mailbox, html_body: textOf(300_000) },
});
const broadcastOf = async (attacker: TestWorkspace) =>
  `/v1/broadcasts/${(await attacker.create("/v1/broadcasts/", aBroadcast(attacker))).id}`;

/** Attacks by creating and deleting in turn, which keep below every budget: the deletion must leave nothing. */
export const deletionAttacks: readonly Attack[] = [
  cycle("DELETE /v1/topics/:topic_id", "/v1/topics/", () => ({ name: textOf(200), description: textOf(1_000) })),
  cycle("DELETE /v1/segments/:segment_id", "/v1/segments/", () => ({
    ...{ name: textOf(200), conditions: { field: "plan", is: "equals", value: textOf(1_000) } },
  })),
  cycle("DELETE /v1/contacts/:list_id", "/v1/contacts/", () => ({ name: textOf(200), description: textOf(2_000) })),
  cycle(
    "DELETE /v1/contacts/:list_id/contacts/:contact_id",
    async (attacker) => `${await listOf(attacker)}/contacts`,
    () => ({ email: anAddress(), metadata: { text: textOf(64_000) }, consent: { source: textOf(500) } }),
  ),
  cycle(
    "DELETE /v1/contacts/:list_id/forms/:form_id",
    async (attacker) => `${await listOf(attacker)}/forms`,
    () => ({
      ...{ name: textOf(200), title: textOf(200), text: textOf(2_000) },
    }),
  ),
  cycle("DELETE /v1/suppressions/:email", "/v1/suppressions/", () => ({ email: anAddress() }), {
    idOf: ({ email }) => email,
  }),
  cycle("DELETE /v1/broadcasts/:broadcast_id", "/v1/broadcasts/", aBroadcast),
  cycle(
    "DELETE /v1/broadcasts/:broadcast_id/variants/:variant_id",
    async (attacker) => `${await broadcastOf(attacker)}/variants`,
    () => ({ label: textOf(100), subject: textOf(998), html_body: textOf(300_000) }),
  ),
  cycle("DELETE /v1/templates/:template_id", "/v1/templates/", () => ({
    name: textOf(200),
    html_body: textOf(1_850_000),
  })),
  cycle(
    "DELETE /v1/emails/scheduled/:email_id",
    "/v1/emails/",
    (attacker) => aMail(attacker, { text: textOf(15_000), send_at: new Date(Date.now() + 3_600_000).toISOString() }),
    { deletedAt: "/v1/emails/scheduled" },
  ),
  cycle("DELETE /v1/domains/:domain_id", "/v1/domains/", () => ({ name: uniqueDomainName() })),
  cycle("DELETE /v1/mailboxes/:mailbox_id", "/v1/mailboxes/", ({ domainId }) => ({
    ...{ domain_id: domainId, local_part: aLocalPart(), display_name: textOf(320) },
  })),
  cycle("DELETE /v1/mailboxes/:mailbox_id/aliases/:alias_id", inMailbox("aliases"), ({ domain }) => ({
    address: `${aLocalPart()}@${domain}`,
  })),
  cycle("DELETE /v1/mailboxes/:mailbox_id/app-passwords/:app_password_id", inMailbox("app-passwords"), () => ({
    name: textOf(100),
  })),
  cycle("DELETE /v1/forwarding-rules/:rule_id", "/v1/forwarding-rules/", ({ domainId, mailboxId }) => ({
    ...{
      domain_id: domainId,
      match: { subject_contains: textOf(998) },
      action: { type: "mailbox", target: mailboxId },
    },
  })),
  cycle(
    "DELETE /v1/forwarding-rules/:rule_id",
    "/v1/forwarding-rules/",
    ({ domainId }) => ({ domain_id: domainId, action: { type: "address", target: anAddress() } }),
    { way: "of a new one to an outside address", calls: 25 },
  ),
  cycle("DELETE /v1/inbox/:mailbox_id/folders/:name", inInbox("folders"), () => ({ name: textOf(200) }), {
    idOf: ({ name = "" }) => encodeURIComponent(name),
  }),
  cycle("DELETE /v1/inbox/:mailbox_id/labels/:label_id", inInbox("labels"), () => ({
    name: textOf(200),
    color: "#000000",
  })),
  cycle("DELETE /v1/inbox/:mailbox_id/saved-replies/:reply_id", inInbox("saved-replies"), () => ({
    name: textOf(200),
    text: textOf(10_000),
  })),
  cycle("DELETE /v1/inbox/:mailbox_id/filters/:filter_id", inInbox("filters"), () => ({
    match: { mode: "all", conditions: [{ field: "subject", op: "contains", value: textOf(250) }] },
    actions: [{ type: "flag" }],
  })),
  cycle("DELETE /v1/inbox/:mailbox_id/drafts/:uid", inInbox("drafts"), () => ({ subject: textOf(998) }), {
    idOf: ({ uid }) => uid,
    finish: deleteObjects,
  }),
  {
    operation: "DELETE /v1/webhooks/:webhook_id",
    way: "of a new one that was tested",
    requests: 3,
    finish,
    prepare: async (attacker) => {
      const api = webhooksOf(attacker);
      return async () => {
        const { id } = await api.create(aReceiver("large").url);
        await api.post(`/v1/webhooks/${id}/test`, undefined);
        return api.call("DELETE", `/v1/webhooks/${id}`);
      };
    },
  },
  {
    operation: "DELETE /v1/workspaces/:workspace_id",
    way: "of a new one",
    requests: 3,
    calls: 25,
    finish,
    prepare: async (attacker) => {
      const session = await aSession(attacker);
      return async () => {
        const created = await session.post("/v1/workspaces/", { name: textOf(100) });
        if (!created.ok) return created;
        const { id } = await created.json<{ id: string }>();
        // A session deletes the workspace in which it acts, and acts in the other one then.
        const switched = await session.post("/auth/workspace", { org_id: id });
        return apiWithCookies(cookiesOf(switched)).call("DELETE", `/v1/workspaces/${id}`);
      };
    },
  },
  {
    operation: "DELETE /v1/pictures/:picture_id",
    way: "of a new one",
    requests: 2,
    prepare: async (attacker) => async () => {
      const { body, headers } = multipart(`GIF89a${textOf(1_000_000)}`);
      const { id } = await attacker.create("/v1/pictures", body, headers);
      return attacker.call("DELETE", `/v1/pictures/${id}`);
    },
  },
];
