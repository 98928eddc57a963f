import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { receiveEmail } from "../../../src/mailboxes/inbound/index.ts";
import { aContact, aList, readList } from "../../audience/contacts/support.ts";
import { lines, report } from "../../mail/reports/samples.ts";
import { database } from "../../support/databases.ts";
import { runMainRetention } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aMail, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

/** Addresses that soft bounces keep from bulk mail (docs/contract/suppressions.md#soft-bounces). */

const HOUR = 3_600_000;
const FRIEND = "friend@example.org";

const workspace = perTest(aWorkspace);
let listId: string;

beforeEach(async () => {
  listId = (await aList(workspace)).id;
  await aContact(workspace, listId, FRIEND);
});

/** Sends an email and dispatches it hours from now, to a server with this reply to the recipient. Returns its return path. */
async function sendAt(hours: number, reply?: string): Promise<string> {
  const server = await (reply === undefined ? sinkServer() : scriptedServer({ recipients: { [FRIEND]: reply } }));
  const api = workspace.withoutQueue;
  expect((await api.post("/v1/emails/", aMail(workspace, { to: [{ email: FRIEND }] }))).status).toBe(202);
  await runOutboxAt(Date.now() + hours * HOUR, { EGRESS_URL: server.url });
  const line = (await server.commands()).find((command) => command.startsWith("MAIL FROM"));
  await server.close();
  return pathIn(line);
}

const FULL = "552 5.2.2 The mailbox is full";
const refusedAt = async (...hours: number[]) => {
  for (const at of hours) await sendAt(at, FULL);
};

/** Lets the receiver report that its mailbox was full, or that it delivered the email. */
async function deliverReport(to: string, [status, action] = ["5.2.2", "failed"]) {
  const block = lines(`Final-Recipient: rfc822; ${FRIEND}`, `Action: ${action}`, `Status: ${status}`);
  const raw = new Blob([report({ blocks: ["Reporting-MTA: dns; mx.y.test", block] })]);
  await receiveEmail(
    { from: "", to, headers: new Headers(), raw: raw.stream(), rawSize: raw.size, setReject() {} } as never,
    env,
  );
}

/** Moves all times of the recorded bounces into the past. */
const age = (hours: number) =>
  database.run(
    "UPDATE soft_bounces SET first_at = first_at - ?1, last_at = last_at - ?1, accepted_at = accepted_at - ?1 WHERE workspace = ?2",
    [hours * HOUR, workspace.workspaceNumber],
  );

const listed = async () => {
  const found = await (await workspace.get("/v1/suppressions/")).json<{ email: string; reason: string }[]>();
  return found.map(({ email, reason }) => `${email} ${reason}`);
};
const contact = async () => (await readList(workspace, listId)).contacts[0];
const bulkSend = async () => {
  const body = { contact_list_id: listId, mailbox_id: workspace.mailboxId, subject: "News", text: "News" };
  return (await workspace.withoutQueue.post(`/v1/contacts/${listId}/send`, body)).json();
};

describe("the third soft bounce in a row, 72 hours or more after the first", () => {
  it("keeps an address from bulk mail and not from single mail, until an email is delivered", async () => {
    await refusedAt(0, 36, 73);
    expect(await listed()).toEqual([`${FRIEND} soft_bounces`]);
    expect(await contact()).toMatchObject({ subscribed: true, suppressed: true });
    expect(await bulkSend()).toEqual({
      queued: 0,
      skipped: 1,
      errors: [`${FRIEND}: skipped, its last emails bounced`],
    });
    const other = await aList(workspace);
    expect(await aContact(workspace, other.id, FRIEND)).toMatchObject({ suppressed: true });
    await sendAt(80);
    expect(await listed()).toEqual([]);
    expect(await contact()).toMatchObject({ suppressed: false });
    expect(await bulkSend()).toEqual({ queued: 1, skipped: 0, errors: [] });
  });

  it("keeps bulk mail that is made already from leaving", async () => {
    await refusedAt(0, 36);
    await bulkSend();
    await runOutboxAt(Date.now() + HOUR, {}, ["broadcast"]);
    await refusedAt(73);
    const server = await sinkServer();
    await runOutboxAt(Date.now() + 74 * HOUR, { EGRESS_URL: server.url }, ["bulk"]);
    await server.close();
    const results = await database.rows("SELECT status FROM emails WHERE workspace = ?1 AND source = 'bulk'", [
      workspace.workspaceNumber,
    ]);
    expect(results).toEqual([{ status: "rejected" }]);
  });

  it("is not one of the second, of three within 72 hours, or after a delivery in between", async () => {
    await refusedAt(0, 73);
    expect(await listed()).toEqual([]);
    await sendAt(74);
    await refusedAt(75, 76, 100);
    expect(await listed()).toEqual([]);
    await refusedAt(75 + 72);
    expect(await listed()).toEqual([`${FRIEND} soft_bounces`]);
  });

  it("counts no bounce of another workspace, and no email twice", async () => {
    await refusedAt(0, 1);
    const path = await sendAt(2);
    await age(100);
    await deliverReport(path);
    await deliverReport(path);
    expect(await listed()).toEqual([]);
    const other = await aWorkspace();
    expect(await (await other.get("/v1/suppressions/")).json()).toEqual([]);
  });

  it.each([
    ["452 4.2.2 The mailbox is full", [`${FRIEND} soft_bounces`]],
    ["421 4.3.2 Closing", []],
  ])("is also a refusal that stays temporary until the last attempt: %s", async (reply, entries) => {
    await refusedAt(0, 36);
    const server = await scriptedServer({ recipients: { [FRIEND]: reply } });
    const api = workspace.withoutQueue;
    await api.post("/v1/emails/", aMail(workspace, { to: [{ email: FRIEND }] }));
    for (let attempt = 0; attempt < 8; attempt++)
      await runOutboxAt(Date.now() + (40 + 31 * attempt) * HOUR, { EGRESS_URL: server.url });
    await server.close();
    expect(await listed()).toEqual(entries);
  });
});

describe("reports after the egress has accepted the emails", () => {
  const returned = async () => deliverReport(await sendAt(0));

  it("list an address, since an acceptance alone is no delivery", async () => {
    await returned();
    await age(40);
    await returned();
    await age(40);
    await returned();
    expect(await listed()).toEqual([`${FRIEND} soft_bounces`]);
    await sendAt(0);
    expect(await listed()).toEqual([`${FRIEND} soft_bounces`]);
  });

  it("begin again after an email without a report for five days, and a report of its delivery ends them", async () => {
    await returned();
    await returned();
    await sendAt(0);
    await age(5 * 24);
    await returned();
    expect(await listed()).toEqual([]);
    await returned();
    await age(80);
    await returned();
    expect(await listed()).toEqual([`${FRIEND} soft_bounces`]);
    await deliverReport(await sendAt(0), ["2.0.0", "delivered"]);
    expect(await listed()).toEqual([]);
    expect(await contact()).toMatchObject({ suppressed: false });
  });
});

describe("an address with soft bounces", () => {
  it("is removed by a call, and its bounces count anew", async () => {
    await refusedAt(0, 36, 73);
    const path = `/v1/suppressions/${FRIEND}`;
    expect((await workspace.call("DELETE", path)).status).toBe(204);
    expect((await workspace.call("DELETE", path)).status).toBe(404);
    expect(await contact()).toMatchObject({ suppressed: false });
    await refusedAt(74, 75);
    expect(await listed()).toEqual([]);
  });

  it("shows a stronger reason, with pages in order of the addresses", async () => {
    await refusedAt(0, 36, 73);
    for (const email of ["a@example.org", "z@example.org"]) await workspace.post("/v1/suppressions/", { email });
    const page = async (query: string) =>
      (await (await workspace.get(`/v1/suppressions/${query}`)).json<{ email: string }[]>()).map(({ email }) => email);
    expect(await page("?limit=2")).toEqual(["a@example.org", FRIEND]);
    expect(await page(`?limit=2&after=${FRIEND}`)).toEqual(["z@example.org"]);
    expect(await page(`?email=${FRIEND.toUpperCase()}`)).toEqual([FRIEND]);
    expect((await workspace.post("/v1/suppressions/", { email: FRIEND })).status).toBe(201);
    expect(await listed()).toEqual(["a@example.org manual", `${FRIEND} manual`, "z@example.org manual"]);
    expect((await workspace.post("/v1/suppressions/", { email: FRIEND, reason: "soft_bounces" })).status).toBe(422);
  });

  it("is forgotten 120 days after its last bounce while it is not listed", async () => {
    await refusedAt(0);
    const rows = () =>
      database.value<number>("SELECT count(*) AS n FROM soft_bounces WHERE workspace = ?1", [
        workspace.workspaceNumber,
      ]);
    await runMainRetention(testContext({}, () => Date.now() + 119 * 24 * HOUR));
    expect(await rows()).toBe(1);
    await runMainRetention(testContext({}, () => Date.now() + 121 * 24 * HOUR));
    expect(await rows()).toBe(0);
  });
});
