import { describe, expect, it } from "vitest";
import type { AudienceOut } from "../../../src/audience/broadcasts/report-schema.ts";
import type { BroadcastOut } from "../../../src/audience/broadcasts/schema.ts";
import { sampleIssue } from "../../../src/audience/broadcasts/split.ts";
import { lines, report } from "../../mail/reports/samples.ts";
import { deliver } from "../../mailboxes/inbound/support.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aContact, aList } from "../contacts/support.ts";
import { aContactList, broadcastsOf, runBroadcasts, suppress } from "./support.ts";

/** The figures of a broadcast add up (docs/contract/broadcasts.md#figures). */

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const emailIn = (index: number) => `delivered+${index}@simulator.test`;

function expectSum(figures: BroadcastOut) {
  expect(figures.queued_count + figures.skipped_count).toBe(figures.recipient_count);
  const { delivered_count, bounced_count, failed_count, cancelled_count } = figures;
  expect(delivered_count + bounced_count + failed_count + cancelled_count).toBe(figures.queued_count);
  return figures;
}

async function deleteContacts(listId: string, indexes: readonly number[]) {
  for (const index of indexes) {
    const id = await database.value<string>("SELECT id FROM contacts WHERE workspace = ?1 AND email = ?2", [
      workspace.workspaceNumber,
      emailIn(index),
    ]);
    expect((await workspace.call("DELETE", `/v1/contacts/${listId}/contacts/${id}`)).status).toBe(204);
  }
}

/** Makes the emails of a broadcast without delivering them. */
const makeEmails = () => runOutboxAt(Date.now() + 1_000, {}, ["broadcast"]);

describe("the figures of a broadcast", () => {
  it("count contacts that are deleted or suppressed before their email as skipped, after it as cancelled and failed", async () => {
    const contact_list_id = await aContactList(workspace, 10);
    const { id } = await broadcasts.create({ contact_list_id });
    await broadcasts.act(id, "send");
    await makeEmails();
    await deleteContacts(contact_list_id, [1, 2]);
    await suppress(workspace, [emailIn(3)]);
    await runBroadcasts();
    const figures = expectSum(await broadcasts.read(id));
    expect(figures).toMatchObject({ status: "sent", recipient_count: 10, skipped_count: 0, cancelled_count: 2 });
    expect(figures).toMatchObject({ delivered_count: 7, failed_count: 1 });
  });

  it("count as skipped in a sample and its remainder", async () => {
    const contact_list_id = await aContactList(workspace, 20);
    const { id } = await broadcasts.create({ contact_list_id, ab_test_pct: 50 });
    const a = await broadcasts.addVariant(id, "A");
    await broadcasts.addVariant(id, "B");
    await broadcasts.act(id, "send");
    await runBroadcasts();
    expect(expectSum(await broadcasts.read(id))).toMatchObject({ recipient_count: 10, skipped_count: 0 });
    await deleteContacts(
      contact_list_id,
      Array.from({ length: 20 }, (_, index) => index),
    );
    await broadcasts.act(id, `promote/${a.id}`);
    await runBroadcasts();
    const figures = expectSum(await broadcasts.read(id));
    expect(figures).toMatchObject({ status: "sent", recipient_count: 20, queued_count: 10, skipped_count: 10 });
  });

  it("count what was not reached before a cancellation as skipped", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 5) });
    await broadcasts.act(id, "send");
    await makeEmails();
    await broadcasts.act(id, "cancel");
    await runBroadcasts();
    expect(expectSum(await broadcasts.read(id))).toMatchObject({ status: "cancelled", cancelled_count: 5 });
  });

  it("count a late bounce as bounced and no longer as delivered", async () => {
    const { id: listId } = await aList(workspace);
    await aContact(workspace, listId, "ada@example.org");
    const { id } = await broadcasts.create({ contact_list_id: listId });
    await broadcasts.act(id, "send");
    const server = await sinkServer();
    await makeEmails();
    await runOutboxAt(Date.now() + 2_000, { EGRESS_URL: server.url }, ["bulk"]);
    const line = (await server.commands()).find((command) => command.startsWith("MAIL FROM"));
    await server.close();
    await runBroadcasts();
    expect(expectSum(await broadcasts.read(id))).toMatchObject({ delivered_count: 1, bounced_count: 0 });
    const block = lines("Final-Recipient: rfc822; ada@example.org", "Action: failed", "Status: 5.1.1");
    const dsn = report({ blocks: ["Reporting-MTA: dns; mx.y.test", block] });
    await deliver(pathIn(line), dsn, { from: "" });
    expect(expectSum(await broadcasts.read(id))).toMatchObject({ delivered_count: 0, bounced_count: 1 });
  });
});

describe("a broadcast whose list is deleted while it is sending", () => {
  it.each(["before", "after"])("is cancelled, with a notice, when that is %s its emails are made", async (moment) => {
    const contact_list_id = await aContactList(workspace, 5);
    const { id } = await broadcasts.create({ contact_list_id });
    await broadcasts.act(id, "send");
    if (moment === "after") await makeEmails();
    expect((await workspace.call("DELETE", `/v1/contacts/${contact_list_id}`)).status).toBe(204);
    await runBroadcasts();
    const figures = expectSum(await broadcasts.read(id));
    expect(figures).toMatchObject({ status: "cancelled", delivered_count: 0, sent_at: null });
    expect(figures.cancelled_count).toBe(moment === "after" ? 5 : 0);
    const results = await database.rows<{ body: string }>("SELECT body FROM notifications WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    expect(results).toEqual([{ body: expect.stringContaining("list was deleted") }]);
  });

  it("cannot be promoted afterwards", async () => {
    const contact_list_id = await aContactList(workspace, 20);
    const { id } = await broadcasts.create({ contact_list_id, ab_test_pct: 50 });
    const { id: variant } = await broadcasts.addVariant(id, "A");
    await broadcasts.addVariant(id, "B");
    await broadcasts.act(id, "send");
    await runBroadcasts();
    await workspace.call("DELETE", `/v1/contacts/${contact_list_id}`);
    const refused = await broadcasts.act(id, `promote/${variant}`);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("contact list");
  });
});

it("the audience of a broadcast stays what it was when it was sent", async () => {
  const contact_list_id = await aContactList(workspace, 10);
  await suppress(workspace, [emailIn(0)], "unsubscribe");
  const { id } = await broadcasts.create({ contact_list_id });
  await broadcasts.act(id, "send");
  const audience = async () =>
    broadcasts.expectJson<AudienceOut>(await broadcasts.api.get(`${broadcasts.path(id)}/audience`), 200);
  await workspace.post(`/v1/contacts/${contact_list_id}/contacts`, { email: "late@example.org" });
  expect((await audience()).eligible).toBe(10);
  await runOutboxAt(Date.now(), {}, ["broadcast"]);
  const fixed = await audience();
  expect(fixed).toEqual({
    eligible: 9,
    skipped: { suppressed: 0, unsubscribed: 1, invalid: 0, pending: 0 },
    sample: 9,
    remainder: 0,
  });
  await suppress(workspace, [emailIn(1)], "complaint");
  await deleteContacts(contact_list_id, [2]);
  await runBroadcasts();
  expect(await audience()).toEqual(fixed);
});

describe("a sample that leaves a variant without a contact", () => {
  it("is a 422 at send that names the smallest percentage that works", async () => {
    const contact_list_id = await aContactList(workspace, 20);
    const { id } = await broadcasts.create({ contact_list_id, ab_test_pct: 5 });
    await broadcasts.addVariant(id, "A");
    await broadcasts.addVariant(id, "B");
    const refused = await broadcasts.act(id, "send");
    expect(refused.status).toBe(422);
    const { detail } = await refused.json<{ detail: { loc: string[]; msg: string }[] }>();
    expect(detail).toMatchObject([{ loc: ["body", "ab_test_pct"] }]);
    expect(detail[0]?.msg).toBe(
      "Of 20 contacts, a sample of 5 % has none for the variant B; the smallest ab_test_pct that works is 8",
    );
    await broadcasts.api.call("PATCH", broadcasts.path(id), { ab_test_pct: 8 });
    await broadcasts.act(id, "send");
    await runBroadcasts();
    expect((await broadcasts.variants(id)).map(({ recipient_count }) => recipient_count)).toEqual([1, 1]);
  });

  it("names no percentage when the audience is smaller than the variants", () => {
    const variants = ["A", "B", "C"].map((label) => ({ label, weight: 1 }));
    expect(sampleIssue(2, 50, variants)).toContain("no ab_test_pct works");
    expect(sampleIssue(100, 50, variants)).toBeNull();
  });
});

describe("the request of a broadcast", () => {
  it("with an id that is no UUID is a 422", async () => {
    const body = { name: "N", subject: "S", from_address: workspace.mailbox };
    for (const field of ["contact_list_id", "mailbox_id"]) {
      const response = await broadcasts.api.post(broadcasts.path(), { ...body, [field]: "x" });
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ detail: [{ loc: ["body", field] }] });
      expect((await broadcasts.api.post(broadcasts.path(), { ...body, [field]: crypto.randomUUID() })).status).toBe(
        404,
      );
    }
    const { id } = await broadcasts.create();
    const test = await broadcasts.api.post(`${broadcasts.path(id)}/test`, { to: ["a@b.example"], variant_id: "x" });
    expect(test.status).toBe(422);
  });

  it("with too large a content is a 413, in one field or in two", async () => {
    const { id } = await broadcasts.create();
    const [large, half] = ["x".repeat(1_000_001), "x".repeat(600_000)];
    for (const content of [{ html_body: large }, { html_body: half, text_body: half }]) {
      expect((await broadcasts.api.call("PATCH", broadcasts.path(id), content)).status).toBe(413);
      expect(
        (await workspace.post("/v1/templates/", { name: "T", ...content, html_body: large.repeat(2) })).status,
      ).toBe(413);
    }
  });

  it("with a variant label that differs only in case from another is a 409", async () => {
    const { id } = await broadcasts.create();
    await broadcasts.addVariant(id, "Grün");
    const { id: other } = await broadcasts.addVariant(id, "Blau");
    const path = `${broadcasts.path(id)}/variants`;
    expect((await broadcasts.api.post(path, { label: "GRÜN", subject: "S" })).status).toBe(409);
    expect((await broadcasts.api.call("PATCH", `${path}/${other}`, { label: "grün" })).status).toBe(409);
    expect((await broadcasts.api.call("PATCH", `${path}/${other}`, { label: "BLAU" })).status).toBe(200);
  });
});
