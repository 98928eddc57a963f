import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { readSenders } from "../../../src/sending/delivery/claim/read-senders.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { insertDomain } from "../../support/transfers.ts";
import { perTest, testContext } from "../../support/workspace.ts";
import { collectingEgress, eventsOf, forwardAt } from "../forwards/support.ts";
import { aRawMessage, deliver } from "../inbound/support.ts";
import { anInbox } from "../inbox/support.ts";

const inbox = perTest(anInbox);
let alias: string;

beforeEach(async () => {
  alias = `sales@${inbox.workspace.domain}`;
});

const add = async (address = alias): Promise<string> => {
  const response = await inbox.workspace.post(`/v1/mailboxes/${inbox.workspace.mailboxId}/aliases`, { address });
  expect(response.status, await response.clone().text()).toBe(201);
  return (await response.json<{ id: string }>()).id;
};
const remove = (id: string) =>
  inbox.workspace.call("DELETE", `/v1/mailboxes/${inbox.workspace.mailboxId}/aliases/${id}`);
/** Sends without a queue, so that nothing is processed before `work`. */
const send = (body: Record<string, unknown> = {}) =>
  inbox.workspace.withoutQueue.post(inbox.path("/send"), {
    to: ["friend@example.org"],
    text: "Hello",
    ...body,
  });
async function work(at = Date.now()) {
  const server = await sinkServer();
  await runOutboxAt(at, { EGRESS_URL: server.url }, ["deliver", "sent-copy"]);
  await server.close();
}
const emailOf = async (response: Response) => {
  const { id } = await response.json<{ id: string }>();
  return (await inbox.workspace.get(`/v1/emails/${id}`)).json<{ status: string; from: { email: string } }>();
};

describe("a message of a mailbox", () => {
  it("may have one of its aliases as sender, in any letter case, and Sent has it so", async () => {
    await add();
    const response = await send({ from: alias.toUpperCase(), subject: "Hello" });
    expect(response.status, await response.clone().text()).toBe(202);
    await work();
    expect(await emailOf(response)).toMatchObject({ status: "delivered" });
    const [copy] = await inbox.list("Sent");
    expect(copy).toMatchObject({ subject: "Hello", from: { email: alias } });
  });

  it.each(["other@example.org", "hello", "a\r\nb@example.org", "\0"])("is refused with the sender %j", async (from) => {
    await add();
    const response = await send({ from });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ["body", "from"] }] });
  });

  it("is refused with an alias of another mailbox of the workspace", async () => {
    const body = { domain_id: inbox.workspace.domainId, local_part: "other" };
    const { id } = await inbox.workspace.create("/v1/mailboxes/", body);
    await inbox.workspace.post(`/v1/mailboxes/${id}/aliases`, { address: alias });
    expect((await send({ from: alias })).status).toBe(422);
    expect((await send({ from: `other@${inbox.workspace.domain}` })).status).toBe(422);
  });

  it("fails at dispatch when its alias was deleted after it was accepted", async () => {
    const id = await add();
    const response = await send({ from: alias });
    expect(response.status).toBe(202);
    await remove(id);
    await work();
    expect(await emailOf(response)).toMatchObject({ status: "failed" });
  });

  it("that is a draft keeps its alias", async () => {
    await add();
    const draft = await inbox.json<{ uid: number }>("POST", "/drafts", { from: alias, text: "Hello" });
    const stored = await inbox.json<{ from: { email: string } }>("GET", `/messages/${draft.uid}?folder=Drafts`);
    expect(stored.from.email).toBe(alias);
    expect((await inbox.call("POST", "/drafts", { from: "other@example.org", text: "Hello" })).status).toBe(422);
  });
});

describe("the sender of a claimed email", () => {
  it("is an alias at a verified domain of its own, or the mailbox; no address that neither has", async () => {
    const { domainId, mailboxId, mailbox, workspaceNumber } = inbox.workspace;
    const own = await insertDomain(inbox.workspace);
    await add(`sales@${own.name}`);
    const isActive = async (fromKey: string, domain: string) => {
      const { senders } = await readSenders(testContext(), [
        {
          ...{ n: 0, emailId: "e", workspace: workspaceNumber, domainId: domain, mailboxId, fromKey, userId: null },
          ...{ scope: { source: "api", isRetry: false }, topic: null, recipientKeys: [] },
        },
      ]);
      return senders.get(0)?.is_active === 1;
    };
    expect(await isActive(`sales@${own.name}`, own.id)).toBe(true);
    expect(await isActive(mailbox, domainId)).toBe(true);
    expect(await isActive(`sales@${own.name}`, domainId)).toBe(false);
    expect(await isActive(mailbox, own.id)).toBe(false);
    expect(await isActive(alias, domainId)).toBe(false);
  });
});

describe("an automatic reply", () => {
  it("answers mail to an alias from the alias, and forwards to an alias need no confirmation", async () => {
    await add();
    await inbox.json("PUT", "/auto-reply", { is_active: true, text: "I am away." });
    const rule = { mailbox_id: inbox.workspace.mailboxId, action: { type: "address", target: alias } };
    const created = await inbox.workspace.post("/v1/forwarding-rules/", rule);
    const { id, is_confirmed } = await created.json<{ id: string; is_confirmed: boolean }>();
    expect(is_confirmed).toBe(true);
    await inbox.workspace.call("DELETE", `/v1/forwarding-rules/${id}`);
    const bindings = { WORK: { send: async () => {}, sendBatch: async () => {} } };
    expect(await deliver(alias, aRawMessage({ To: alias }), { bindings, isAuthentic: true })).toBeNull();
    const { egress, sent } = collectingEgress();
    await forwardAt(inbox.workspace, egress);
    expect(sent.map(({ raw }) => /^From: .*$/m.exec(raw)?.[0])).toEqual([expect.stringContaining(alias)]);
    expect((await eventsOf(inbox.workspace)).map(({ event }) => event)).toEqual(["stored", "answered"]);
  });
});

describe("a message that arrived", () => {
  it("knows the recipient of its envelope, which a copy has too", async () => {
    await add();
    await deliver(`Sales+news@${inbox.workspace.domain}`, aRawMessage());
    const store = env.MAILBOX.getByName(inbox.workspace.mailboxId);
    await store.copy("INBOX", [1], "Archive", { quotaBytes: null, mustExist: false });
    for (const folder of ["INBOX", "Archive"])
      expect((await store.find(folder, 1))?.deliveredTo).toBe(`sales+news@${inbox.workspace.domain}`);
  });
});
