import { describe, expect, it } from "vitest";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts, suppress } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const emailIn = (index: number) => `delivered+${index}@simulator.test`;

describe("a broadcast without variants", () => {
  it("mails every contact once, personally, and is sent when each had an attempt", async () => {
    const contact_list_id = await aContactList(workspace, 120);
    await suppress(workspace, [emailIn(3)], "bounce");
    await suppress(workspace, [emailIn(4), emailIn(5)], "unsubscribe");
    const { id } = await broadcasts.create({
      contact_list_id,
      preheader: "For {{name}}",
      reply_to: "Desk <d@example.org>",
    });
    const sending = await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
    expect(sending).toMatchObject({ id, status: "sending", sent_at: null, queued_count: 0 });
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({
      status: "sent",
      sent_at: expect.stringMatching(/Z$/),
      recipient_count: 117,
      queued_count: 117,
      delivered_count: 117,
      bounced_count: 0,
      failed_count: 0,
    });
    const emails = await emailsOf(id);
    expect(new Set(emails.map(({ email }) => email)).size).toBe(117);
    expect(emails.find(({ email }) => email === emailIn(7))?.subject).toBe("News for Person 7");
    const detail = await (
      await workspace.get(`/v1/emails/${emails.find((one) => one.email === emailIn(7))?.id}`)
    ).json<DetailOut>();
    expect(detail).toMatchObject({ source: "broadcast", status: "delivered", to_addresses: [emailIn(7)] });
    expect(detail.html_body).toMatch(
      /^<div style="[^"]*">For Person 7<\/div><p>Hello Person 7 of Ulm<\/p><p [^>]*><a href="http[^"]*\/u\/[^"]+" [^>]*>Unsubscribe<\/a><\/p>$/,
    );
    const audience = await broadcasts.api.get(`${broadcasts.path(id)}/audience`);
    expect(await audience.json()).toEqual({
      eligible: 117,
      skipped: { suppressed: 1, unsubscribed: 2, invalid: 0, pending: 0 },
      sample: 117,
      remainder: 0,
    });
    expect(await broadcasts.recipients(id)).toHaveLength(117);
    expect(await broadcasts.recipients(id, { status: "bounced" })).toEqual([]);
  });

  it("counts the contacts that an earlier version skipped, whose plan lacks their numbers", async () => {
    const contact_list_id = await aContactList(workspace, 4);
    await suppress(workspace, [emailIn(1)], "bounce");
    await suppress(workspace, [emailIn(2), emailIn(3)], "unsubscribe");
    const { id } = await broadcasts.create({ contact_list_id });
    await broadcasts.act(id, "send");
    await runBroadcasts();
    const forget = "UPDATE broadcasts SET fan_out = json_remove(fan_out, '$.split.skipped') WHERE id = ?1";
    await database.prepare(forget).bind(id).run();
    const audience = await broadcasts.api.get(`${broadcasts.path(id)}/audience`);
    expect(await audience.json()).toMatchObject({
      eligible: 1,
      skipped: { suppressed: 1, unsubscribed: 2, invalid: 0, pending: 0 },
    });
  });

  it("writes the outcomes of sixteen emails at a time", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 128) });
    await broadcasts.act(id, "send");
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 128 });
    const flushes = await database.value<number>("SELECT count(*) AS n FROM changes WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    // One row when the emails are made and eight flushes; on a slow machine the timer flushes sooner.
    expect(flushes).toBeLessThanOrEqual(12);
  });

  it("counts bounces, and emails that wait for another attempt do not hold it back", async () => {
    const contact_list_id = await aContactList(workspace, 3, { prefix: "bounced" });
    const deferred = await aContactList(workspace, 2, { prefix: "deferred" });
    const one = await broadcasts.create({ contact_list_id });
    const two = await broadcasts.create({ contact_list_id: deferred });
    for (const { id } of [one, two]) await broadcasts.act(id, "send");
    await runBroadcasts();
    expect(await broadcasts.read(one.id)).toMatchObject({ status: "sent", bounced_count: 3, delivered_count: 0 });
    expect(await broadcasts.read(two.id)).toMatchObject({ status: "sent", queued_count: 2, delivered_count: 0 });
    expect(await broadcasts.recipients(one.id, { status: "bounced" })).toHaveLength(3);
  });

  it("of an audience that is suppressed as a whole is sent without an email", async () => {
    const contact_list_id = await aContactList(workspace, 2);
    await suppress(workspace, [emailIn(0), emailIn(1)], "complaint");
    const { id } = await broadcasts.create({ contact_list_id });
    await broadcasts.act(id, "send");
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", recipient_count: 0, queued_count: 0 });
  });
});

describe("a sampled A/B test", () => {
  it("mails the sample by weight, then the remainder with the promoted variant, once", async () => {
    const contact_list_id = await aContactList(workspace, 100);
    const { id } = await broadcasts.create({ contact_list_id, ab_test_pct: 30 });
    const a = await broadcasts.addVariant(id, "A", { weight: 2 });
    const b = await broadcasts.addVariant(id, "B");
    expect((await broadcasts.act(id, `promote/${a.id}`)).status).toBe(409);
    await broadcasts.act(id, "send");
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", recipient_count: 30, queued_count: 30 });
    const sample = await emailsOf(id);
    const bySubject = Map.groupBy(sample, ({ subject }) => subject);
    expect([bySubject.get("Subject A")?.length, bySubject.get("Subject B")?.length]).toEqual([20, 10]);
    expect((await broadcasts.act(id, `promote/${crypto.randomUUID()}`)).status).toBe(404);
    const responses = await Promise.all([a, b, b].map(({ id: variant }) => broadcasts.act(id, `promote/${variant}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    await runBroadcasts();
    const all = await emailsOf(id);
    expect(all).toHaveLength(100);
    expect(new Set(all.map(({ contact }) => contact)).size).toBe(100);
    const done = await broadcasts.read(id);
    expect(done).toMatchObject({ status: "sent", recipient_count: 100, delivered_count: 100 });
    const variants = await broadcasts.variants(id);
    const winner = variants.find((variant) => variant.id === done.ab_winner_variant_id);
    expect(winner?.recipient_count).toBe((winner?.label === "A" ? 20 : 10) + 70);
    expect(variants.map(({ delivered_count }) => delivered_count)).toEqual(variants.map((one) => one.recipient_count));
    expect((await broadcasts.act(id, `promote/${a.id}`)).status).toBe(409);
  });

  it("without two variants mails the whole list and cannot be promoted", async () => {
    const contact_list_id = await aContactList(workspace, 4);
    const { id } = await broadcasts.create({ contact_list_id, ab_test_pct: 50 });
    const { id: variant } = await broadcasts.addVariant(id, "A");
    await broadcasts.act(id, "send");
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", recipient_count: 4 });
    expect((await broadcasts.act(id, `promote/${variant}`)).status).toBe(409);
  });
});

describe("what a send needs", () => {
  const refused = async (changes: Record<string, unknown>, field: string) => {
    const { id } = await broadcasts.create(changes);
    const response = await broadcasts.act(id, "send");
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: string[] }[] }>();
    expect(detail.map(({ loc }) => loc[1])).toEqual([field]);
    expect(await broadcasts.read(id)).toMatchObject({ status: "draft" });
  };

  it("a list with contacts, content, and an allowed sender; each is a 422 of its field", async () => {
    const contact_list_id = await aContactList(workspace, 1);
    await refused({}, "contact_list_id");
    await refused({ contact_list_id: await aContactList(workspace, 0) }, "contact_list_id");
    const large = await aContactList(workspace, 0);
    await database.run("UPDATE contact_lists SET contact_count = 2000001 WHERE id = ?1", [large]);
    await refused({ contact_list_id: large }, "contact_list_id");
    await refused({ contact_list_id, html_body: null }, "html_body");
    await refused({ contact_list_id, from_address: `nobody@${workspace.domain}` }, "from_address");
    const { id: mailbox_id } = await (
      await workspace.post("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: "other" })
    ).json<{ id: string }>();
    await refused({ contact_list_id, mailbox_id }, "mailbox_id");
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active: false });
    await refused({ contact_list_id }, "from_address");
  });

  it("403 while the workspace is paused, and nothing changes", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 1) });
    await database.run("UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1", [workspace.workspaceNumber]);
    expect((await broadcasts.act(id, "send")).status).toBe(403);
    expect(await broadcasts.read(id)).toMatchObject({ status: "draft" });
  });

  it("one of several concurrent sends wins, and the others get a 409 or its replayed response", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 5) });
    const responses = await Promise.all([1, 2, 3].map(() => broadcasts.act(id, "send")));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const other = await broadcasts.create({ contact_list_id: await aContactList(workspace, 5) });
    const send = () => broadcasts.api.post(`${broadcasts.path(other.id)}/send`, undefined, { "Idempotency-Key": "k" });
    const replayed = await Promise.all([send(), send()]);
    expect(replayed.map(({ status }) => status)).toEqual([200, 200]);
    await runBroadcasts();
    expect(await emailsOf(id)).toHaveLength(5);
    expect(await emailsOf(other.id)).toHaveLength(5);
  });
});

describe("a scheduled broadcast", () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  it("starts at its time by cron, not before, and not when it was made a draft", async () => {
    const contact_list_id = await aContactList(workspace, 3);
    const one = await broadcasts.create({ contact_list_id, scheduled_at: inAnHour() });
    const two = await broadcasts.create({ contact_list_id, scheduled_at: inAnHour() });
    expect(one.status).toBe("scheduled");
    const draft = await broadcasts.api.call("PATCH", broadcasts.path(two.id), { scheduled_at: null });
    expect(await draft.json()).toMatchObject({ status: "draft", scheduled_at: null });
    await runBroadcasts(Date.now(), 1);
    expect((await broadcasts.read(one.id)).status).toBe("scheduled");
    await runBroadcasts(Date.now() + 3_700_000);
    expect(await broadcasts.read(one.id)).toMatchObject({ status: "sent", delivered_count: 3 });
    expect(await broadcasts.read(two.id)).toMatchObject({ status: "draft" });
  });

  it("is cancelled with a notification when it cannot be sent", async () => {
    const { id } = await broadcasts.create({ scheduled_at: inAnHour() });
    await runBroadcasts(Date.now() + 3_700_000);
    expect(await broadcasts.read(id)).toMatchObject({ status: "cancelled" });
    const notice = await database.row<{ title: string; body: string }>(
      "SELECT title, body FROM notifications WHERE workspace = ?1",
      [workspace.workspaceNumber],
    );
    expect(notice).toEqual({
      title: "The broadcast Newsletter was not sent",
      body: "A broadcast needs a contact list or a segment to be sent",
    });
  });

  it("waits while the workspace is paused", async () => {
    const { id } = await broadcasts.create({
      contact_list_id: await aContactList(workspace, 1),
      scheduled_at: inAnHour(),
    });
    const pause = (at: number | null) =>
      database.run("UPDATE workspaces SET sending_paused_at = ?2 WHERE number = ?1", [workspace.workspaceNumber, at]);
    await pause(1);
    await runBroadcasts(Date.now() + 3_700_000);
    expect(await broadcasts.read(id)).toMatchObject({ status: "scheduled" });
    await pause(null);
    await runBroadcasts(Date.now() + 4_700_000);
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent" });
  });

  it("in the past is a 422", async () => {
    const body = { name: "n", subject: "s", from_address: workspace.mailbox, scheduled_at: "2020-01-01T00:00:00Z" };
    expect((await broadcasts.api.post(broadcasts.path(), body)).status).toBe(422);
  });
});

describe("pause, resume and cancel", () => {
  const start = async (count: number) => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, count) });
    await broadcasts.act(id, "send");
    await runOutboxAt(Date.now(), {}, ["broadcast"]);
    expect(await emailsOf(id)).toHaveLength(count);
    return id;
  };

  it("a paused broadcast delivers nothing, in whole outbox rows, until it is resumed", async () => {
    const id = await start(150);
    expect(await (await broadcasts.act(id, "pause")).json()).toMatchObject({
      status: "sending",
      paused_at: expect.any(String),
    });
    expect((await broadcasts.act(id, "pause")).status).toBe(200);
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({ status: "sending", delivered_count: 0 });
    const rows = await database.value<number>("SELECT count(*) AS n FROM outbox WHERE kind = 'bulk'");
    expect(rows).toBeGreaterThanOrEqual(3);
    expect(await (await broadcasts.act(id, "resume")).json()).toMatchObject({ paused_at: null });
    await runBroadcasts(Date.now() + 300_000);
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 150 });
    expect((await broadcasts.act(id, "pause")).status).toBe(409);
    expect((await broadcasts.act(id, "resume")).status).toBe(409);
  });

  it("a cancelled broadcast cancels every email that was not delivered", async () => {
    const id = await start(120);
    expect(await (await broadcasts.act(id, "cancel")).json()).toMatchObject({ status: "cancelled" });
    await runBroadcasts();
    const emails = await emailsOf(id);
    expect(new Set(emails.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
    expect(await broadcasts.read(id)).toMatchObject({ status: "cancelled", delivered_count: 0, sent_at: null });
    for (const action of ["cancel", "send", "pause"]) expect((await broadcasts.act(id, action)).status).toBe(409);
    expect((await broadcasts.api.call("PATCH", broadcasts.path(id), { name: "x" })).status).toBe(409);
  });

  it("a deleted broadcast cancels what is left, and a sending one cannot be deleted", async () => {
    const id = await start(60);
    expect((await broadcasts.api.call("DELETE", broadcasts.path(id))).status).toBe(409);
    await broadcasts.act(id, "cancel");
    expect((await broadcasts.api.call("DELETE", broadcasts.path(id))).status).toBe(204);
    await runBroadcasts();
    const results = await database.rows("SELECT DISTINCT status FROM emails WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    expect(results).toEqual([{ status: "cancelled" }]);
  });

  it("a paused workspace holds the emails in whole rows", async () => {
    const id = await start(100);
    await database.run("UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1", [workspace.workspaceNumber]);
    await runBroadcasts(Date.now(), 1);
    const rows = await database.value<number>(
      "SELECT count(*) AS n FROM outbox o JOIN broadcasts b ON b.n = o.broadcast WHERE b.id = ?1",
      [id],
    );
    expect(rows).toBe(2);
    expect((await broadcasts.read(id)).delivered_count).toBe(0);
    await database.run("UPDATE workspaces SET sending_paused_at = NULL WHERE number = ?1", [workspace.workspaceNumber]);
    await runBroadcasts(Date.now() + 700_000);
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 100 });
  });

  it("max_per_hour is kept", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 5), max_per_hour: 60 });
    await broadcasts.act(id, "send");
    const begin = Date.now();
    const delivered: number[] = [];
    for (let minute = 0; minute < 6; minute++) {
      await runOutboxAt(begin + minute * 60_001, {}, ["broadcast", "bulk"]);
      delivered.push((await broadcasts.read(id)).delivered_count);
    }
    expect(delivered).toEqual([1, 2, 3, 4, 5, 5]);
  });

  it("max_per_hour does not hold up the end of the emails of a cancelled broadcast", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 5), max_per_hour: 60 });
    await broadcasts.act(id, "send");
    await runOutboxAt(Date.now(), {}, ["broadcast", "bulk"]);
    expect((await broadcasts.act(id, "cancel")).status).toBe(200);
    await runOutboxAt(Date.now() + 1_000, {}, ["broadcast", "bulk"]);
    expect(await broadcasts.recipients(id, { status: "cancelled" })).toHaveLength(4);
  });
});

describe("POST /v1/broadcasts/{broadcast_id}/test", () => {
  it("sends the content to given addresses, and these count for no broadcast", async () => {
    const { id } = await broadcasts.create({ html_body: "<p>{{email}}{{name}}</p>" });
    const body = { to: ["delivered+a@simulator.test", "Delivered+A@simulator.test"] };
    const response = await broadcasts.api.post(`${broadcasts.path(id)}/test`, body);
    const { emails } = await broadcasts.expectJson<{ emails: { id: string }[] }>(response, 202);
    expect(emails).toHaveLength(1);
    await runOutboxAt(Date.now());
    const detail = await (await workspace.get(`/v1/emails/${emails[0]?.id}`)).json<DetailOut>();
    expect(detail).toMatchObject({ status: "delivered", source: "broadcast", subject: "News for " });
    expect(detail.html_body).toContain("<p>delivered+a@simulator.test</p>");
    expect(await broadcasts.read(id)).toMatchObject({ status: "draft", queued_count: 0 });
    for (const bad of [{ to: [] }, { to: ["x"] }, {}, { to: Array.from({ length: 11 }, () => "a@example.org") }])
      expect((await broadcasts.api.post(`${broadcasts.path(id)}/test`, bad)).status).toBe(422);
  });
});
