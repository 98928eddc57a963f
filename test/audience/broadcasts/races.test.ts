import { describe, expect, it } from "vitest";
import { LEASE_MS } from "../../../src/platform/outbox/rules.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, aWorkspace, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, insertContacts, runBroadcasts } from "./support.ts";

/** Emails of one outbox row: a run that has claimed a row sends all of it. */
const IN_FLIGHT = 64;
const TRIALS = 5;

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const emailIn = (index: number) => `delivered+${index}@simulator.test`;

/** Makes the emails of a new broadcast and delivers none. */
async function aFannedOut(count: number) {
  const listId = await aContactList(workspace, count);
  const { id } = await broadcasts.create({ contact_list_id: listId });
  await broadcasts.act(id, "send");
  await runOutboxAt(Date.now(), {}, ["broadcast"]);
  expect(await emailsOf(id)).toHaveLength(count);
  return { id, listId };
}

/** Returns a mail database that runs `act` once, before the first batch with a statement that matches. */
function interrupted(pattern: RegExp, act: () => Promise<unknown>) {
  let isDone = false;
  const texts = new WeakMap<object, string>();
  const prepare = (sql: string) => {
    const statement = mail.prepare(sql);
    const { bind } = statement;
    texts.set(statement, sql);
    return Object.assign(statement, {
      bind: (...values: unknown[]) => {
        const bound = bind.apply(statement, values);
        texts.set(bound, sql);
        return bound;
      },
    });
  };
  const batch = async (statements: D1PreparedStatement[]) => {
    if (!isDone && statements.some((statement) => pattern.test(texts.get(statement) ?? ""))) {
      isDone = true;
      await act();
    }
    return mail.batch(statements);
  };
  return { [MAIL_BINDING]: { prepare, batch } };
}

const statusesOf = async (id: string) => {
  const emails = await emailsOf(id);
  return Object.fromEntries([...Map.groupBy(emails, ({ status }) => status)].map(([name, of]) => [name, of.length]));
};

const contactId = (listId: string, index: number) =>
  database.value<string>(
    "SELECT c.id FROM contacts c JOIN contact_lists l ON l.n = c.list WHERE l.id = ?1 AND c.email_key = ?2",
    [listId, emailIn(index)],
  );

describe("two calls at once", () => {
  it("cancel and send of a scheduled broadcast: it ends cancelled, and nobody gets an email", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const contact_list_id = await aContactList(workspace, 3);
      const { id } = await broadcasts.create({ contact_list_id, scheduled_at: inAnHour() });
      const calls = trial % 2 === 0 ? (["send", "cancel"] as const) : (["cancel", "send"] as const);
      const responses = await Promise.all(calls.map((action) => broadcasts.act(id, action)));
      const status = Object.fromEntries(calls.map((action, i) => [action, responses[i]?.status]));
      expect(status.cancel).toBe(200);
      expect([200, 409]).toContain(status.send);
      await runBroadcasts(Date.now() + 3_700_000);
      expect(await broadcasts.read(id)).toMatchObject({ status: "cancelled", delivered_count: 0 });
    }
  });

  it("cancel and promote after the sample: the promotion wins or is cancelled; the remainder is mailed or nobody of it", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 20), ab_test_pct: 10 });
      const { id: variant } = await broadcasts.addVariant(id, "A");
      await broadcasts.addVariant(id, "B");
      await broadcasts.act(id, "send");
      await runBroadcasts(Date.now(), 2);
      const [promote, cancel] = await Promise.all([
        broadcasts.act(id, `promote/${variant}`),
        broadcasts.act(id, "cancel"),
      ]);
      expect(promote.status).toBe(200);
      expect([200, 409]).toContain(cancel.status);
      await runBroadcasts();
      const isCancelled = cancel.status === 200;
      expect(await broadcasts.read(id)).toMatchObject({
        status: isCancelled ? "cancelled" : "sent",
        delivered_count: isCancelled ? 2 : 20,
      });
    }
  });

  it.each(["pause", "cancel"])("%s during a delivery: at most the claimed emails leave", async (action) => {
    const { id } = await aFannedOut(200);
    const settings = interrupted(/UPDATE emails SET status = j/, async () => {
      expect((await broadcasts.act(id, action)).status).toBe(200);
    });
    await runOutboxAt(Date.now() + 1_000, settings, ["bulk"]);
    const { delivered_count: left } = await broadcasts.read(id);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(IN_FLIGHT);
    await runBroadcasts(Date.now() + 60_000);
    expect((await broadcasts.read(id)).delivered_count).toBe(left);
    if (action === "cancel") return expect(await statusesOf(id)).toEqual({ delivered: left, cancelled: 200 - left });
    await broadcasts.act(id, "resume");
    await runBroadcasts(Date.now() + 400_000);
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 200 });
  });

  it("a single send during a delivery: at most the claimed emails leave before it, and the others after it", async () => {
    const { id } = await aFannedOut(200);
    let single = "";
    const settings = interrupted(/UPDATE emails SET status = j/, async () => {
      single = (await broadcasts.api.create("/v1/emails/", aMail(workspace, { to: [{ email: emailIn(0) }] }))).id;
    });
    await runOutboxAt(Date.now() + 1_000, settings, ["bulk"]);
    expect(await statusesOf(id)).toEqual({ delivered: 200 });
    const results = await database.rows<{ n: number }>(
      "SELECT v.value AS n FROM changes c, json_each(c.emails) v WHERE c.workspace = ?1 ORDER BY c.at_us, v.key",
      [workspace.workspaceNumber],
    );
    // The last change of an email is its outcome.
    const outcomes = [...new Set(results.map(({ n }) => n).reverse())].reverse();
    const n = await database.value<number>("SELECT n FROM emails WHERE id = ?1", [single]);
    expect(outcomes).toHaveLength(201);
    expect(outcomes.indexOf(n ?? 0)).toBeGreaterThan(0);
    expect(outcomes.indexOf(n ?? 0)).toBeLessThanOrEqual(IN_FLIGHT);
  });

  it("a send by template and the deletion of the template: the email has its content, or the send is refused", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const { id: template_id } = await workspace.create("/v1/templates/", {
        name: "T",
        subject: "Hi",
        html_body: "<p>{{x}}</p>",
      });
      const { subject: _, text: __, html: ___, ...envelope } = aMail(workspace) as Record<string, unknown>;
      const [sent, deleted] = await Promise.all([
        broadcasts.api.post("/v1/emails/", { ...envelope, template_id, variables: { x: "1" } }),
        workspace.call("DELETE", `/v1/templates/${template_id}`),
      ]);
      expect(deleted.status).toBe(204);
      expect([202, 404, 422]).toContain(sent.status);
      if (sent.status !== 202) continue;
      const { id } = await sent.json<{ id: string }>();
      expect(await (await workspace.get(`/v1/emails/${id}`)).json()).toMatchObject({ html_body: "<p>1</p>" });
    }
  });
});

describe("while a page of emails is made", () => {
  it("edits are refused, a new contact stays out, and the email of a deleted one is cancelled", async () => {
    const listId = await aContactList(workspace, 10);
    const { id } = await broadcasts.create({ contact_list_id: listId });
    await broadcasts.act(id, "send");
    const refused: number[] = [];
    const settings = interrupted(/INSERT INTO emails/, async () => {
      refused.push((await broadcasts.api.call("PATCH", broadcasts.path(id), { subject: "Other" })).status);
      refused.push((await broadcasts.api.post(`${broadcasts.path(id)}/variants`, { label: "A", subject: "A" })).status);
      refused.push((await broadcasts.api.call("DELETE", broadcasts.path(id))).status);
      await workspace.call("PATCH", `/v1/contacts/${listId}`, { name: "Renamed" });
      await workspace.call("DELETE", `/v1/contacts/${listId}/contacts/${await contactId(listId, 3)}`);
      await workspace.call("PATCH", `/v1/contacts/${listId}/contacts/${await contactId(listId, 4)}`, { name: "New" });
      await workspace.post(`/v1/contacts/${listId}/contacts`, { email: emailIn(99) });
    });
    await runOutboxAt(Date.now(), settings, ["broadcast"]);
    expect(refused).toEqual([409, 409, 409]);
    await runBroadcasts();
    const emails = await emailsOf(id);
    expect(emails).toHaveLength(10);
    expect(emails.filter(({ status }) => status === "cancelled").map(({ email }) => email)).toEqual([emailIn(3)]);
    expect(emails.find(({ email }) => email === emailIn(3))?.events).toContain("contact deleted");
    expect(emails.find(({ email }) => email === emailIn(4))?.subject).toBe("News for Person 4");
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", queued_count: 10, delivered_count: 9 });
  });

  it("a cancel rolls the page back, and no email is made", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 10) });
    await broadcasts.act(id, "send");
    const settings = interrupted(/INSERT INTO emails/, () => broadcasts.act(id, "cancel"));
    await runOutboxAt(Date.now(), settings, ["broadcast"]);
    await runBroadcasts();
    expect([await emailsOf(id), (await broadcasts.read(id)).status]).toEqual([[], "cancelled"]);
  });

  it("contacts added between two pages stay out", async () => {
    const listId = await aContactList(workspace, 1_200);
    const { id } = await broadcasts.create({ contact_list_id: listId });
    await broadcasts.act(id, "send");
    const list = await database.value<number>("SELECT n FROM contact_lists WHERE id = ?1", [listId]);
    const settings = interrupted(/INSERT INTO emails/, () =>
      insertContacts(workspace.workspaceNumber, list ?? 0, 2_000, 2_050),
    );
    await runOutboxAt(Date.now(), settings, ["broadcast"]);
    const emails = await emailsOf(id);
    expect([emails.length, new Set(emails.map(({ contact }) => contact)).size]).toEqual([1_200, 1_200]);
  });
});

describe("the deletion of what a broadcast uses", () => {
  it.each([
    {
      what: "of the list: a draft cannot be sent, a scheduled one is cancelled, and waiting emails are cancelled",
      path: (listId: string) => `/v1/contacts/${listId}`,
      statuses: { cancelled: 20 },
      broadcast: { status: "cancelled", delivered_count: 0 },
    },
    {
      what: "of the mailbox: a draft cannot be sent, a scheduled one is cancelled, and waiting emails fail",
      path: () => `/v1/mailboxes/${workspace.mailboxId}`,
      statuses: { failed: 20 },
      broadcast: { status: "sent", failed_count: 20 },
    },
    {
      what: "of the domain: a draft cannot be sent, a scheduled one is cancelled, and waiting emails fail",
      path: () => `/v1/domains/${workspace.domainId}?delete_mailboxes=true`,
      statuses: { failed: 20 },
      broadcast: { status: "sent", failed_count: 20 },
    },
  ])("$what", async ({ path, statuses, broadcast }) => {
    const { id, listId } = await aFannedOut(20);
    const draft = await broadcasts.create({ contact_list_id: listId });
    const scheduled = await broadcasts.create({ contact_list_id: listId, scheduled_at: inAnHour() });
    expect((await workspace.call("DELETE", path(listId))).status).toBe(204);
    expect((await broadcasts.act(draft.id, "send")).status).toBe(422);
    await runBroadcasts(Date.now() + 3_700_000);
    expect(await broadcasts.read(scheduled.id)).toMatchObject({ status: "cancelled" });
    expect(await statusesOf(id)).toEqual(statuses);
    expect(await broadcasts.read(id)).toMatchObject(broadcast);
  });

  it("of the list: a paused broadcast is cancelled, and so are its waiting emails", async () => {
    const { id, listId } = await aFannedOut(20);
    expect((await broadcasts.act(id, "pause")).status).toBe(200);
    expect((await workspace.call("DELETE", `/v1/contacts/${listId}`)).status).toBe(204);
    await runBroadcasts(Date.now() + 60_000);
    expect(await broadcasts.read(id)).toMatchObject({ status: "cancelled", paused_at: null, delivered_count: 0 });
    expect(await statusesOf(id)).toEqual({ cancelled: 20 });
  });

  it.each([
    ["mailbox", () => `/v1/mailboxes/${workspace.mailboxId}`],
    ["domain", () => `/v1/domains/${workspace.domainId}?delete_mailboxes=true`],
  ])("of the %s: a paused broadcast can be resumed, and its waiting emails fail", async (_, pathOf) => {
    const { id } = await aFannedOut(20);
    expect((await broadcasts.act(id, "pause")).status).toBe(200);
    expect((await workspace.call("DELETE", pathOf())).status).toBe(204);
    await runBroadcasts(Date.now() + 60_000);
    expect(await broadcasts.read(id)).toMatchObject({ status: "sending", delivered_count: 0 });
    expect((await broadcasts.act(id, "resume")).status).toBe(200);
    await runBroadcasts(Date.now() + 400_000);
    expect(await statusesOf(id)).toEqual({ failed: 20 });
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 0 });
  });

  it.each([
    ["list", "cancelled", (listId: string) => `/v1/contacts/${listId}`],
    ["mailbox", "sent", () => `/v1/mailboxes/${workspace.mailboxId}`],
    ["domain", "sent", () => `/v1/domains/${workspace.domainId}?delete_mailboxes=true`],
  ])("of the %s before an email is made: the broadcast is %s, and no contact gets it", async (_, status, pathOf) => {
    const listId = await aContactList(workspace, 20);
    const { id } = await broadcasts.create({ contact_list_id: listId });
    await broadcasts.act(id, "send");
    expect((await workspace.call("DELETE", pathOf(listId))).status).toBe(204);
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({ status, delivered_count: 0 });
  });
});

describe("a run whose lease ended", () => {
  it("makes no email again that another run has made meanwhile", async () => {
    const contacts = 20;
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, contacts) });
    await broadcasts.act(id, "send");
    const another = () => runOutboxAt(Date.now() + LEASE_MS + 1, {}, ["broadcast"]);
    await runOutboxAt(Date.now(), interrupted(/INSERT INTO broadcast_pages/, another), ["broadcast"]);
    expect(await emailsOf(id)).toHaveLength(contacts);
    expect(await broadcasts.read(id)).toMatchObject({ queued_count: contacts });
  });
});
