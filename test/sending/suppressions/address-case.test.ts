import { describe, expect, it } from "vitest";
import { newReturnPath } from "../../../src/platform/mail-tokens/return-path.ts";
import { indexEmails } from "../../../src/sending/emails/index.ts";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { receiveFeedback } from "../../../src/sending/feedback/index.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

/** Upper-case letters outside ASCII, which SQLite's lower() does not change, and their lower-case forms. */
const PAIRS = [
  ["Ä", "ä"],
  ["Ñ", "ñ"],
  ["ЖЁ", "жё"],
  ["ΟΔΟΣ", "οδοσ"],
  ["Ünü", "ünü"],
  ["İ", "i\u0307"],
] as const;
/** Letters that differ by more than case: two addresses. */
const DIFFERENT = [
  ["σ", "ς"],
  ["ı", "i"],
  ["ß", "ss"],
] as const;

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);

const at = (label: string) => `delivered+${label}@simulator.test`;
const suppress = (email: string, reason = "manual") => workspace.post("/v1/suppressions/", { email, reason });
const send = async (to: string[], changes: Record<string, unknown> = {}) => {
  const response = await api.post("/v1/emails/", aMail(workspace, { to: to.map((email) => ({ email })), ...changes }));
  expect(response.status, await response.clone().text()).toBe(202);
  return response.json<{ id: string; status: string }>();
};
const detail = async (id: string) => (await workspace.get(`/v1/emails/${id}`)).json<DetailOut>();
const eventsOf = async (id: string) =>
  (await detail(id)).events.map(({ event_type, metadata }) => `${event_type} ${metadata?.recipient ?? ""}`.trim());

/** Rewrites the recipients as they were stored before keys of such addresses were: without the key. */
const removeKeys = (id: string) =>
  database.run(
    `UPDATE emails SET recipients = (SELECT json_group_array(json_remove(value, '$.key')) FROM json_each(recipients))
      WHERE id = ?1`,
    [id],
  );

describe.each(PAIRS)("%s and %s are one address", (upper, lower) => {
  const spellings = [
    [upper, lower],
    [lower, upper],
  ] as const;

  it("for a suppression at accept", async () => {
    for (const [listed, sent] of spellings) {
      await suppress(at(`1${listed}`));
      expect(await send([at(`1${sent}`)])).toMatchObject({ status: "rejected" });
    }
  });

  it("for a suppression between accept and dispatch, also of emails stored without a key", async () => {
    for (const [index, [listed, sent]] of spellings.entries()) {
      const [current, older] = [await send([at(`${index}${sent}`)]), await send([at(`${index}${sent}`)])];
      await removeKeys(older.id);
      await suppress(at(`${index}${listed}`));
      await runOutboxAt(Date.now());
      for (const { id } of [current, older]) {
        expect((await detail(id)).status).toBe("rejected");
        expect(await eventsOf(id)).toEqual(["queued", `suppressed ${at(`${index}${sent}`)}`]);
      }
    }
  });

  it("for one of several recipients suppressed after accept", async () => {
    const { id } = await send([at("x"), at(upper)]);
    await removeKeys(id);
    await suppress(at(lower));
    await runOutboxAt(Date.now());
    expect((await eventsOf(id)).sort()).toEqual(["queued", `delivered ${at("x")}`, `suppressed ${at(upper)}`].sort());
  });

  it("for an unsubscribe, which stops bulk mail at dispatch and not single mail", async () => {
    const [bulk, single] = [await send([at(upper)]), await send([at(upper)])];
    for (const { id } of [bulk, single]) await removeKeys(id);
    await database.run("UPDATE emails SET source = 'bulk' WHERE id = ?1", [bulk.id]);
    await suppress(at(lower), "unsubscribe");
    await runOutboxAt(Date.now());
    expect([(await detail(bulk.id)).status, (await detail(single.id)).status]).toEqual(["rejected", "delivered"]);
  });

  it("for the recipients of one email", async () => {
    const { id } = await send([at(upper), at(lower)]);
    expect((await detail(id)).to_addresses).toEqual([at(upper)]);
  });

  it("for the suppression list: add, find, continue after and remove", async () => {
    expect((await suppress(at(upper))).status).toBe(201);
    expect((await suppress(at(lower))).status).toBe(200);
    for (const spelling of [upper, lower]) {
      const query = encodeURIComponent(at(spelling));
      expect(await (await workspace.get(`/v1/suppressions/?email=${query}`)).json()).toHaveLength(1);
      expect(await (await workspace.get(`/v1/suppressions/?after=${query}`)).json()).toEqual([]);
    }
    expect((await workspace.call("DELETE", `/v1/suppressions/${encodeURIComponent(at(upper))}`)).status).toBe(204);
  });

  it("for a delivery report that names the recipient in another case", async () => {
    const { id } = await send([at("x"), at(upper)]);
    await removeKeys(id);
    await runOutboxAt(Date.now());
    const ctx = testContext();
    const mail = { workspace: workspace.workspaceNumber, emailId: id, recipient: "all" as const };
    const to = await newReturnPath(ctx.settings.masterKeys, mail, ctx.settings.bounceDomain);
    await receiveFeedback(ctx, { from: "", to, raw: new TextEncoder().encode(report(at(lower))) });
    expect(await eventsOf(id)).toContain(`bounced ${at(upper)}`);
  });

  it("for the sender and for mailboxes", async () => {
    const create = (local: string) =>
      workspace.post("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: local, display_name: null });
    expect((await create(lower)).status).toBe(201);
    expect((await create(upper)).status).toBe(409);
    await send(["friend@example.org"], { from_: { email: `${upper}@${workspace.domain}` } });
  });

  it("for a search by to: and from:, before and after indexing", async () => {
    expect((await workspace.post("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: lower })).status).toBe(
      201,
    );
    const { id } = await send([at(`abc${upper}xyz`)], { from_: { email: `${upper}@${workspace.domain}` } });
    const find = async (q: string) =>
      (await (await workspace.get(`/v1/emails/search?q=${encodeURIComponent(q)}`)).json<{ id: string }[]>()).map(
        (email) => email.id,
      );
    for (const step of ["before", "after"]) {
      for (const spelling of [upper, lower]) {
        expect(await find(`to:abc${spelling}xyz`), `${step} ${spelling}`).toEqual([id]);
        expect(await find(`abc${spelling}xyz`), `${step} ${spelling}`).toEqual([id]);
        expect(await find(`from:${spelling}@${workspace.domain}`), `${step} ${spelling}`).toEqual([id]);
      }
      await indexEmails(testContext());
    }
  });
});

describe.each(DIFFERENT)("%s and %s are two addresses", (one, other) => {
  it("for suppressions, at accept and at dispatch", async () => {
    const { id } = await send([at(one)]);
    await removeKeys(id);
    await suppress(at(other));
    expect(await send([at(one)])).toMatchObject({ status: "queued" });
    await runOutboxAt(Date.now());
    expect((await detail(id)).status).toBe("delivered");
  });
});

/** Returns a delivery report about one recipient (RFC 3464, RFC 6533). */
function report(recipient: string): string {
  return [
    "From: mailer-daemon@y.test",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "Failed.",
    "--b",
    "Content-Type: message/global-delivery-status; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    "Reporting-MTA: dns; mx.y.test",
    "",
    `Final-Recipient: utf-8; ${recipient}`,
    "Action: failed",
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 no such user",
    "",
    "--b--",
    "",
  ].join("\r\n");
}
