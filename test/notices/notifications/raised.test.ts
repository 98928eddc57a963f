import { describe, expect, it } from "vitest";
import { aContactList, broadcastsOf, runBroadcasts } from "../../audience/broadcasts/support.ts";
import { aRawMessage, deliver } from "../../mailboxes/inbound/support.ts";
import { database } from "../../support/databases.ts";
import { insertInvitation } from "../../support/invitations.ts";
import { aSession } from "../../support/sessions.ts";
import { apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";
import { listed } from "./support.ts";

/** Other notifications: domains in test/domains/domains, transfers in test/transfers/domain-transfers, rates in analytics. */

const workspace = perTest(aWorkspace);

const titles = async () =>
  (await listed(workspace)).items.map(({ category, severity, title }) => [category, severity, title]);

describe("owners are notified", () => {
  it("when a broadcast was sent, once, although its end is looked at again", async () => {
    const broadcasts = broadcastsOf(workspace);
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 3) });
    await broadcasts.act(id, "send");
    await runBroadcasts();
    await runBroadcasts();
    expect((await broadcasts.read(id)).status).toBe("sent");
    expect(await titles()).toEqual([["sends", "success", "The broadcast Newsletter was sent"]]);
    const [item] = (await listed(workspace)).items;
    expect(item).toMatchObject({
      body: "3 emails were made. So far 3 were delivered and 0 have bounced.",
      href: `/broadcasts/${id}`,
    });
  });

  it("when a broadcast is cancelled, once, and not by a refused call", async () => {
    const broadcasts = broadcastsOf(workspace);
    const { id } = await broadcasts.create({
      contact_list_id: await aContactList(workspace, 3),
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const responses = await Promise.all([broadcasts.act(id, "cancel"), broadcasts.act(id, "cancel")]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await broadcasts.act(id, "cancel")).status).toBe(409);
    expect(await titles()).toEqual([["sends", "warning", "The broadcast Newsletter was cancelled"]]);
  });

  it("when a person is invited, and when it joins", async () => {
    const sender = await aWorkspace();
    const api = apiOn({ SYSTEM_MAILBOX: sender.mailbox, WORK: discardingQueue }, workspace.apiKey);
    const response = await api.post(`/v1/workspaces/${workspace.workspaceId}/invitations`, {
      email: "ada@example.org",
    });
    expect(response.status).toBe(201);
    expect(await titles()).toEqual([["team", "info", "ada@example.org was invited"]]);
    const home = await aWorkspace();
    const email = `owner@${home.domain}`;
    const token = "a".repeat(43).replace(/^.{8}/, crypto.randomUUID().slice(0, 8));
    await insertInvitation(workspace, { email, token });
    const session = await aSession(home);
    const accept = () => session.post(`/v1/invitations/${token}/accept`, undefined);
    expect((await accept()).status).toBe(200);
    expect((await accept()).status).not.toBe(200);
    expect((await titles())[0]).toEqual(["team", "success", `${email} has joined`]);
    expect((await listed(workspace)).total).toBe(2);
  });

  it("when a mailbox is over 90 % of its quota: by the message that crosses it, and once a day", async () => {
    const raw = (size: number) => aRawMessage({}, "x".repeat(size));
    await database.run("UPDATE mailboxes SET quota_bytes = 10000 WHERE id = ?1", [workspace.mailboxId]);
    expect(await deliver(workspace.mailbox, raw(7_000))).toBeNull();
    expect(await titles()).toEqual([]);
    expect(await deliver(workspace.mailbox, raw(2_000))).toBeNull();
    const expected = [["alerts", "warning", `The mailbox ${workspace.mailbox} is nearly full`]];
    expect(await titles()).toEqual(expected);
    expect(await deliver(workspace.mailbox, raw(10))).toBeNull();
    await database.run("UPDATE mailboxes SET used_bytes = 0 WHERE id = ?1", [workspace.mailboxId]);
    await deliver(workspace.mailbox, raw(5));
    expect(await titles()).toEqual(expected);
  });
});
