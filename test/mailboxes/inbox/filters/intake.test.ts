import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { receiveMail } from "../../../../src/mailboxes/inbound/index.ts";
import { aSystemWorkspace, transfer } from "../../../support/transfers.ts";
import { aMember, apiWith, aWorkspace, perTest, testContext } from "../../../support/workspace.ts";
import { aRule, confirmTarget } from "../../forwarding-rules/support.ts";
import { arrive, collectingEgress, eventsOf, forwardAt, forwardRows } from "../../forwards/support.ts";
import { aRawMessage } from "../../inbound/support.ts";
import { anInbox } from "../support.ts";
import { aFilter, type ShownFilter, subject } from "./support.ts";

const FRIEND = "friend@example.net";
const inbox = perTest(anInbox);

beforeAll(aSystemWorkspace);

const receive = (subject: string, changes: Record<string, string> = {}) =>
  arrive(inbox.workspace.mailbox, aRawMessage({ Subject: subject, ...changes }), { isAuthentic: true });
const subjectsIn = async (folder: string) => (await inbox.list(folder)).map(({ subject }) => subject);
const forwarded = async () => {
  const { egress, sent } = collectingEgress();
  await forwardAt(inbox.workspace, egress);
  return sent.map(({ to }) => to);
};

describe("a message that arrives", () => {
  it("is moved, labelled, flagged and marked as read by the filters that it meets, with one UID only", async () => {
    await inbox.json("POST", "/folders", { name: "Bills" });
    const { id: label } = await inbox.json<{ id: string }>("POST", "/labels", { name: "Money", color: "#000000" });
    await aFilter(inbox, "invoice", [
      { type: "move", folder: "Bills" },
      { type: "label", label_id: label },
    ]);
    await aFilter(inbox, "invoice 1", [{ type: "flag" }, { type: "mark_read" }, { type: "discard" }]);
    await receive("Invoice 1");
    await receive("Hello");
    expect(await inbox.list("Bills")).toMatchObject([
      { uid: 1, subject: "Invoice 1", labels: [label], flagged: true, seen: true },
    ]);
    expect(await inbox.list()).toMatchObject([{ uid: 1, subject: "Hello", labels: [], flagged: false, seen: false }]);
    const state = await env.MAILBOX.getByName(inbox.workspace.mailboxId).readFolder("Bills");
    // Raised by the message itself and by the change of its flags.
    expect(state?.modseq).toBeGreaterThanOrEqual(3);
    expect(state?.modseqs).toEqual([state?.modseq]);
  });

  it("is met by its sender, its envelope and its List-Id, and not by filters that are off or after one that stops", async () => {
    const condition = async (field: string, value: string, folder: string, more: object[] = []) => {
      await inbox.json("POST", "/folders", { name: folder });
      const match = { conditions: [{ field, op: "is", value }] };
      return aFilter(inbox, "", [{ type: "move", folder }, ...more], { match });
    };
    const off = await condition("from", "grace@example.org", "Off");
    await inbox.json("PATCH", `/filters/${off.id}`, { is_active: false });
    await condition("from", "grace@example.org", "Grace", [{ type: "stop" }]);
    await aFilter(inbox, "a", [{ type: "flag" }], { match: { conditions: [{ field: "size", op: "over", value: 1 }] } });
    await condition("to", `hello+news@${inbox.workspace.domain}`, "News");
    await condition("list_id", "dev.example.org", "Dev");
    await receive("grace", { From: "Grace <GRACE@example.org>" });
    await arrive(`hello+news@${inbox.workspace.domain}`, aRawMessage({ Subject: "news", To: "list@example.org" }));
    await receive("dev", { "List-Id": "Dev\r\n =?utf-8?q?l=C3=ADst?= <dev.example.org>" });
    expect(await inbox.list("Grace")).toMatchObject([{ subject: "grace", flagged: false }]);
    expect(await inbox.list("News")).toMatchObject([{ subject: "news", flagged: true }]);
    expect(await subjectsIn("Dev")).toEqual(["dev"]);
    expect(await subjectsIn("Off")).toEqual([]);
  });

  it("stays in INBOX when the folder of its filter was deleted, and goes to one that was made again with its name", async () => {
    await inbox.json("POST", "/folders", { name: "Bills" });
    await aFilter(inbox, "invoice", [{ type: "move", folder: "Bills" }, { type: "flag" }]);
    await inbox.call("DELETE", "/folders/Bills");
    await receive("Invoice 1");
    expect(await inbox.list()).toMatchObject([{ subject: "Invoice 1", flagged: true }]);
    await inbox.json("POST", "/folders", { name: "Bills" });
    await receive("Invoice 2");
    expect(await subjectsIn("Bills")).toEqual(["Invoice 2"]);
  });

  it("goes to Trash when it is discarded, is not answered then, and is forwarded all the same", async () => {
    await confirmTarget(inbox.workspace, FRIEND);
    await inbox.json("PUT", "/auto-reply", { is_active: true, text: "I am away." });
    await aFilter(inbox, "noise", [{ type: "discard" }, { type: "forward", address: FRIEND }]);
    await receive("Noise", { To: inbox.workspace.mailbox });
    expect([await subjectsIn("Trash"), await subjectsIn("INBOX")]).toEqual([["Noise"], []]);
    expect(await forwarded()).toEqual([FRIEND]);
  });

  it("is not filtered when it is spam: by DMARC, by the gateway, or because its sender is blocked", async () => {
    await confirmTarget(inbox.workspace, FRIEND);
    await aFilter(inbox, "a", [
      { type: "flag" },
      { type: "move", folder: "Archive" },
      { type: "forward", address: FRIEND },
    ]);
    await inbox.json("PUT", "/blocked-senders", { emails: ["mallory@example.org"] });
    await receive("blocked a", { From: "mallory@example.org" });
    const raw = new TextEncoder().encode(aRawMessage({ Subject: "spam a" }));
    const chunks = (async function* () {
      yield raw;
    })();
    const mail = { from: "ada@example.org", to: inbox.workspace.mailbox, raw: chunks, size: raw.length };
    await receiveMail(testContext(), { ...mail, authentication: null, isSpam: true });
    expect(await inbox.list("Spam")).toMatchObject([{ flagged: false }, { flagged: false }]);
    expect(await forwardRows(inbox.workspace)).toEqual([]);
  });

  it("that a rule brought from another mailbox is placed by the filters, and not forwarded by them", async () => {
    await confirmTarget(inbox.workspace, FRIEND);
    const body = { domain_id: inbox.workspace.domainId, local_part: "desk" };
    const { id } = await inbox.workspace.create("/v1/mailboxes/", body);
    await aRule(inbox.workspace, {
      ...{ domain_id: undefined, mailbox_id: id, action: { type: "mailbox", target: inbox.workspace.mailboxId } },
    });
    await aFilter(inbox, "copy", [
      { type: "move", folder: "Archive" },
      { type: "forward", address: FRIEND },
    ]);
    await arrive(`desk@${inbox.workspace.domain}`, aRawMessage({ Subject: "A copy" }));
    expect(await forwarded()).toEqual([]);
    expect(await subjectsIn("Archive")).toEqual(["A copy"]);
    expect(await forwardRows(inbox.workspace)).toEqual([]);
  });
});

describe("a forward of a filter", () => {
  it("leaves once for a message to several addresses that comes again, and once beside a rule with the same address", async () => {
    await confirmTarget(inbox.workspace, FRIEND);
    const filter = await aFilter(inbox, "invoice", [{ type: "forward", address: "Friend@example.net" }]);
    const raw = aRawMessage({ Subject: "Invoice" });
    for (const to of [inbox.workspace.mailbox, inbox.workspace.mailbox, `hello+a@${inbox.workspace.domain}`])
      await arrive(to, raw);
    expect(await forwarded()).toEqual(["Friend@example.net"]);
    expect(await eventsOf(inbox.workspace)).toMatchObject([
      { event: "stored" },
      { event: "forwarded", filter_id: filter.id, target: "Friend@example.net" },
      { event: "stored" },
    ]);
    await aRule(inbox.workspace, { action: { type: "address", target: FRIEND } });
    await receive("Invoice 2");
    expect(await forwarded()).toEqual([FRIEND]);
  });

  it("leaves after a delivery that failed between the mailbox and the log, and was repeated", async () => {
    await confirmTarget(inbox.workspace, FRIEND);
    await aFilter(inbox, "invoice", [{ type: "forward", address: FRIEND }]);
    const raw = aRawMessage({ Subject: "Invoice" });
    const broken = {
      prepare: (sql: string) => env.MAIL_0.prepare(sql),
      batch: () => Promise.reject(new Error("the database failed")),
    };
    const bindings = { MAIL_0: broken, MAIL_1: broken };
    await expect(arrive(inbox.workspace.mailbox, raw, { bindings })).rejects.toThrow();
    expect(await subjectsIn("INBOX")).toEqual(["Invoice"]);
    expect(await forwardRows(inbox.workspace)).toEqual([]);
    await inbox.json("PATCH", `/filters/${(await inbox.json<{ id: string }[]>("GET", "/filters"))[0]?.id}`, {
      name: "n",
    });
    await arrive(inbox.workspace.mailbox, raw);
    expect(await subjectsIn("INBOX")).toEqual(["Invoice"]);
    expect(await forwarded()).toEqual([FRIEND]);
  });

  it("needs an address that has confirmed, and is no loop", async () => {
    await aFilter(inbox, "invoice", [{ type: "forward", address: FRIEND }]);
    await receive("Invoice");
    expect(await forwardRows(inbox.workspace)).toEqual([]);
    await confirmTarget(inbox.workspace, FRIEND);
    await receive("Invoice", { "Delivered-To": inbox.workspace.mailbox });
    expect(await forwardRows(inbox.workspace)).toEqual([]);
    expect((await eventsOf(inbox.workspace)).map(({ event }) => event)).toContain("not_forwarded");
  });

  it.each(["DELETE", "PATCH"])("that has not left yet is not sent after a %s of its filter", async (method) => {
    await confirmTarget(inbox.workspace, FRIEND);
    const { id } = await aFilter(inbox, "invoice", [{ type: "forward", address: FRIEND }]);
    await receive("Invoice");
    await inbox.call(method, `/filters/${id}`, method === "PATCH" ? { is_active: false } : undefined);
    expect(await forwarded()).toEqual([]);
    expect((await eventsOf(inbox.workspace)).map(({ event }) => event)).toEqual(["stored", "forward_failed"]);
  });

  it("ends with the right of who saved it, and goes on with that of the next who saves it", async () => {
    const { workspace } = inbox;
    await confirmTarget(workspace, FRIEND);
    const member = await aMember(workspace, "member");
    await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids: [member.userId] });
    const created = await member.post(inbox.path("/filters"), {
      match: { conditions: [subject("invoice")] },
      actions: [{ type: "forward", address: FRIEND }],
    });
    const { id, actions } = await created.json<ShownFilter>();
    expect(actions).toMatchObject([{ is_confirmed: true, maker_id: member.userId }]);
    await receive("Invoice 1");
    await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids: [] });
    expect(await forwarded()).toEqual([]);
    await receive("Invoice 2");
    expect(await forwardRows(workspace)).toEqual([]);
    expect(await inbox.json("GET", `/filters/${id}`)).toMatchObject({ actions: [{ is_confirmed: false }] });
    await inbox.json("PATCH", `/filters/${id}`, { name: "Checked" });
    expect(await inbox.json("GET", `/filters/${id}`)).toMatchObject({
      actions: [{ is_confirmed: true, maker_id: workspace.userId }],
    });
    await receive("Invoice 3");
    expect(await forwarded()).toEqual([FRIEND]);
  });

  it("ends with the API key that saved it, and not with a rotation of that key", async () => {
    const { workspace } = inbox;
    await confirmTarget(workspace, FRIEND);
    const made = await workspace.post("/v1/api-keys/", { name: "Filters", scopes: ["inbox:read", "inbox:write"] });
    const { id: keyId, key } = await made.json<{ id: string; key: string }>();
    const actions = [{ type: "forward", address: FRIEND }];
    await apiWith(key).post(inbox.path("/filters"), { match: { conditions: [subject("invoice")] }, actions });
    const { id: successor } = await workspace.create(`/v1/api-keys/${keyId}/rotate`, undefined);
    await workspace.call("DELETE", `/v1/api-keys/${keyId}`);
    await receive("Invoice 1");
    expect(await forwarded()).toEqual([FRIEND]);
    await workspace.call("DELETE", `/v1/api-keys/${successor}`);
    await receive("Invoice 2");
    expect(await forwardRows(workspace)).toEqual([]);
  });

  it("goes on when it is not known who saved it, or when the mailbox did", async () => {
    const { workspace } = inbox;
    await confirmTarget(workspace, FRIEND);
    const { id } = await aFilter(inbox, "invoice", [{ type: "forward", address: FRIEND }]);
    const store = env.MAILBOX.getByName(workspace.mailboxId);
    const forward = { type: "forward", address: FRIEND, key: FRIEND, workspace: workspace.workspaceNumber } as const;
    for (const maker of [undefined, null]) {
      await store.updateFilter(id, { actions: [maker === null ? { ...forward, maker } : forward], maker: null });
      expect(await inbox.json("GET", `/filters/${id}`)).toMatchObject({
        actions: [{ is_confirmed: true, maker_id: null }],
      });
    }
  });

  it("ends with a transfer of the domain, also when the new workspace has confirmed the address", async () => {
    const target = await aWorkspace();
    await confirmTarget(inbox.workspace, FRIEND);
    await confirmTarget(target, FRIEND);
    const { id } = await aFilter(inbox, "invoice", [{ type: "forward", address: FRIEND }, { type: "flag" }]);
    await transfer(inbox.workspace, target);
    await receive("Invoice");
    expect(await forwardRows(target)).toEqual([]);
    const path = `/v1/inbox/${inbox.workspace.mailboxId}`;
    expect(await (await target.get(`${path}/messages`)).json()).toMatchObject({ items: [{ flagged: true }] });
    expect(await (await target.get(`${path}/filters/${id}`)).json()).toMatchObject({
      actions: [{ type: "forward", is_confirmed: false }, { type: "flag" }],
    });
  });
});
