import { beforeAll, describe, expect, it } from "vitest";
import type { TransferOut } from "../../../src/transfers/domain-transfers/schema.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { consumeQueues } from "../../support/queues.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import {
  acceptById,
  age,
  aSystemWorkspace,
  aToken,
  complete,
  DAY,
  decide,
  initiate,
  insertDomain,
  mailedMatch,
  ownerOf,
  runDeadlineAt,
} from "../../support/transfers.ts";
import { aKey, aMember, apiWith, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

/** Accept, decline, cancel and stop: who may call them when, and what the others get. */

consumeQueues("work");

let source: TestWorkspace;
let target: TestWorkspace;
let stranger: TestWorkspace;

beforeAll(async () => {
  [source, target, stranger] = await Promise.all([aWorkspace(), aWorkspace(), aWorkspace(), aSystemWorkspace()]);
});

type Api = Pick<TestWorkspace, "post" | "call">;
const path = "/v1/domain-transfers";
const accept = async (api: Api, token: string, body: unknown = {}) =>
  decide(await api.post(`${path}/${token}/accept`, body));
const acceptId = async (api: Api, id: string, body: unknown = {}) =>
  decide(await api.post(`${path}/by-id/${id}/accept`, body));
const decline = async (api: Api, id: string) => decide(await api.post(`${path}/${id}/decline`, undefined));
const cancel = async (api: Api, id: string) => decide(await api.call("DELETE", `${path}/${id}`));
const stop = async (api: Api, token: string) => decide(await api.post(`${path}/stop/${token}`, undefined));

const pending = async () => initiate(source, target, (await insertDomain(source)).id);
const accepted = async () => acceptById(target, (await pending()).id);
const notices = async ({ workspaceNumber }: TestWorkspace, title: string) =>
  await database.rows("SELECT title FROM notifications WHERE workspace = ?1 AND title LIKE ?2", [
    workspaceNumber,
    `%${title}%`,
  ]);

describe("accepting", () => {
  it("chooses the workspace, starts 24 hours, is audited on both sides, and notifies the source", async () => {
    const { id, domain_name } = await pending();
    const response = await acceptId(target, id, { target_org_id: target.workspaceId.toUpperCase() });
    const body = response.body as TransferOut;
    expect(body).toMatchObject({
      status: "accepted",
      target_user_id: target.userId,
      target_org_id: target.workspaceId,
    });
    expect(Date.parse(body.cooloff_until ?? "") - Date.parse(body.accepted_at ?? "")).toBe(DAY);
    for (const side of [source, target])
      expect((await readAudit(side)).filter(({ target }) => target.id === id).map(({ action }) => action)).toContain(
        "transfer.accepted",
      );
    expect(await notices(source, domain_name)).toHaveLength(1);
  });

  it("takes no body at all, and refuses a body that is not JSON or has wrong types", async () => {
    const { id } = await pending();
    for (const body of [{ rotate_dkim: "yes" }, { target_org_id: 1 }, []])
      expect((await acceptId(target, id, body)).status).toBe(422);
    const text = await target.call("POST", `${path}/by-id/${id}/accept`, "x", { "Content-Type": "text/plain" });
    expect(text.status).toBe(415);
    expect((await decide(await target.call("POST", `${path}/by-id/${id}/accept`))).status).toBe(200);
  });

  it("is wrong_recipient for every account that it was not sent to, by the link and by the id", async () => {
    const { id } = await pending();
    const token = await aToken("accept", id);
    expect(await accept(stranger, token)).toMatchObject({ status: 403, code: "wrong_recipient" });
    expect(await accept(source, token)).toMatchObject({ status: 403, code: "wrong_recipient" });
    expect(await acceptId(source, id)).toMatchObject({ status: 403, code: "wrong_recipient" });
    expect(await acceptId(stranger, id)).toMatchObject({ status: 403, code: "wrong_recipient" });
    // Nothing of this used the token up.
    expect((await accept(target, token)).status).toBe(200);
  });

  it("is org_access_lost for a foreign or unknown workspace, a lost role, and a key of another workspace", async () => {
    const { id } = await pending();
    for (const target_org_id of [stranger.workspaceId, crypto.randomUUID(), "nonsense", "%00"])
      expect(await acceptId(target, id, { target_org_id }), target_org_id).toMatchObject({
        status: 403,
        code: "org_access_lost",
      });
    const session = await aSession(target);
    await database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'member', 1)", [
      stranger.workspaceNumber,
      target.userId,
    ]);
    expect(await acceptId(session, id, { target_org_id: stranger.workspaceId })).toMatchObject({
      code: "org_access_lost",
    });
    await database.run("UPDATE memberships SET role = 'admin' WHERE workspace = ?1 AND user_id = ?2", [
      stranger.workspaceNumber,
      target.userId,
    ]);
    expect(await acceptId(target, id, { target_org_id: stranger.workspaceId })).toMatchObject({
      code: "org_access_lost",
    });
    expect((await acceptId(session, id, { target_org_id: stranger.workspaceId })).status).toBe(200);
    await database.run("DELETE FROM memberships WHERE workspace = ?1 AND user_id = ?2", [
      stranger.workspaceNumber,
      target.userId,
    ]);
  });

  it("into the workspace that has the domain is self_transfer", async () => {
    const { userId, email, ...colleague } = await aMember(source, "admin");
    const { id } = await insertDomain(source);
    const offered = await decide(await source.post(`/v1/domains/${id}/transfer`, { target_email: email }));
    const transfer = offered.body as TransferOut;
    expect(await acceptId(colleague, transfer.id)).toMatchObject({ status: 409, code: "self_transfer" });
  });

  it("is refused to a key that is restricted to domains", async () => {
    const { id } = await pending();
    const restricted = apiWith(await aKey(target, { domainIds: [target.domainId] }));
    expect((await acceptId(restricted, id)).status).toBe(403);
  });

  it("repeated with its Idempotency-Key is replayed; a redeemed or unknown token is not_found", async () => {
    const { id } = await pending();
    const token = await aToken("accept", id);
    const post = () => target.post(`${path}/${token}/accept`, {}, { "Idempotency-Key": token });
    const [first, again] = [await post(), await post()];
    expect([first.status, again.status, again.headers.get("Idempotency-Replayed")]).toEqual([200, 200, "true"]);
    expect(await accept(target, token)).toMatchObject({ status: 404, code: "not_found" });
    for (const unknown of ["x", "%00", "a".repeat(43), "%F0%9F%98%80", "a%0D%0Ab", "a".repeat(5_000)]) {
      expect(await accept(target, unknown), unknown.slice(0, 9)).toMatchObject({ status: 404, code: "not_found" });
      expect(await stop(source, unknown), unknown.slice(0, 9)).toMatchObject({ status: 404, code: "not_found" });
    }
    expect(await accept(target, await aToken("stop", id))).toMatchObject({ status: 404, code: "not_found" });
    // A live token of a transfer that was accepted in another way.
    expect(await accept(target, await aToken("accept", id))).toMatchObject({ status: 409, code: "not_pending" });
  });

  it("after seven days is expired, before and after the row says so; a cancel then is not_pending", async () => {
    const { id, domain_id } = await pending();
    const token = await aToken("accept", id);
    await age(id, 7 * DAY);
    for (const round of ["before", "after"]) {
      expect(await accept(target, token), round).toMatchObject({ status: 410, code: "expired" });
      expect(await acceptId(target, id), round).toMatchObject({ status: 410, code: "expired" });
      expect(await decline(target, id), round).toMatchObject({ status: 409, code: "not_pending" });
      expect(await cancel(source, id), round).toMatchObject({ status: 409, code: "not_pending" });
      const list = await (await source.get(`${path}/outgoing`)).json<TransferOut[]>();
      expect(list.find((item) => item.id === id)?.status, round).toBe("expired");
      const incoming = await (await target.get(`${path}/incoming`)).json<TransferOut[]>();
      expect(
        incoming.some((item) => item.id === id),
        round,
      ).toBe(false);
      await runDeadlineAt(domain_id, Date.now());
    }
    // The next one does not wait for the alarm of the object.
    const next = await initiate(source, target, domain_id);
    await age(next.id, 7 * DAY);
    expect(await initiate(source, target, domain_id)).toMatchObject({ status: "pending" });
    const all = await (await source.get(`${path}/outgoing`)).json<TransferOut[]>();
    expect(all.find((item) => item.id === next.id)?.status).toBe("expired");
    expect((await readAudit(source)).filter((entry) => entry.target.id === id).map(({ action }) => action)).toContain(
      "transfer.expired",
    );
  });
});

describe("declining and cancelling", () => {
  it("are for the recipient and the sender", async () => {
    const { id, domain_name } = await pending();
    expect(await decline(source, id)).toMatchObject({ status: 403, code: "wrong_recipient" });
    expect(await decline(stranger, id)).toMatchObject({ status: 403, code: "wrong_recipient" });
    const { userId, email, ...colleague } = await aMember(source, "admin");
    for (const api of [target, stranger, colleague])
      expect(await cancel(api, id)).toMatchObject({ status: 404, code: "not_found" });
    expect((await decline(target, id.toUpperCase())).body).toMatchObject({ status: "declined" });
    expect(await notices(source, domain_name)).toHaveLength(1);
    for (const refused of [decline(target, id), cancel(source, id), acceptId(target, id)])
      expect(await refused).toMatchObject({ status: 409, code: "not_pending" });
    const other = await pending();
    expect((await cancel(source, other.id)).body).toMatchObject({ status: "cancelled" });
    expect(await acceptId(target, other.id)).toMatchObject({ status: 409, code: "not_pending" });
    expect(await stop(source, await aToken("stop", other.id))).toMatchObject({ status: 409, code: "not_stoppable" });
  });
});

describe("stopping", () => {
  it("is for owners and admins of the source workspace, also when another workspace is active, once", async () => {
    const { id, domain_id } = await accepted();
    const token = await aToken("stop", id);
    for (const api of [target, stranger, apiWith((await aMember(source, "member")).apiKey)])
      expect([403, 404]).toContain((await stop(api, token)).status);
    const admin = await aMember(source, "admin");
    await database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'owner', 1)", [
      stranger.workspaceNumber,
      admin.userId,
    ]);
    const elsewhere = await aSession({ userId: admin.userId, workspaceId: stranger.workspaceId });
    expect((await stop(elsewhere, token)).body).toMatchObject({ status: "reversed" });
    expect(await stop(source, token)).toMatchObject({ status: 404, code: "not_found" });
    expect(await stop(source, await aToken("stop", id))).toMatchObject({ status: 409, code: "not_stoppable" });
    expect((await source.get(`/v1/domains/${domain_id}`)).status).toBe(200);
    for (const side of [source, target])
      expect(
        (await readAudit(side)).some((entry) => entry.action === "transfer.stopped" && entry.target.id === id),
      ).toBe(true);
  });

  it("at the end of the window or after the completion is not_stoppable", async () => {
    const over = await accepted();
    await age(over.id, DAY);
    expect(await stop(source, await aToken("stop", over.id))).toMatchObject({ status: 409, code: "not_stoppable" });
    const done = await accepted();
    const token = await aToken("stop", done.id);
    await complete(done);
    expect(await stop(source, token)).toMatchObject({ status: 409, code: "not_stoppable" });
  });
});

it("an email tells the recipient when the source cancels the transfer, and when it deletes the domain or the workspace", async () => {
  const recipient = await aWorkspace();
  const email = await ownerOf(recipient);
  const own = await aWorkspace();
  const [cancelled, deleted, lost] = await Promise.all([1, 2, 3].map(() => insertDomain(own)));
  if (!cancelled || !deleted || !lost) throw new Error("three domains were inserted");
  const transfers = [await initiate(own, recipient, cancelled.id), await initiate(own, recipient, deleted.id)];
  await acceptById(recipient, transfers[1]?.id ?? "");
  await initiate(own, recipient, lost.id);
  expect((await cancel(own, transfers[0]?.id ?? "")).status).toBe(200);
  const withdrawn = ({ name }: { name: string }) =>
    mailedMatch(email, new RegExp(`no longer offers you the domain ${name}`));
  expect(await withdrawn(cancelled)).not.toBeNull();
  expect((await own.call("DELETE", `/v1/domains/${deleted.id}`)).status).toBe(204);
  await runOutboxAt(Date.now(), {}, ["transfer"]);
  expect(await withdrawn(deleted)).not.toBeNull();
  expect((await own.call("DELETE", `/v1/workspaces/${own.workspaceId}`)).status).toBe(204);
  await runOutboxAt(Date.now(), {}, ["transfer"]);
  expect(await withdrawn(lost)).not.toBeNull();
});

it("deleting the domain or its workspace ends the transfer", async () => {
  const [first, second] = [await pending(), await accepted()];
  for (const { domain_id } of [first, second])
    await source.call("DELETE", `/v1/domains/${domain_id}?delete_mailboxes=true`);
  const outgoing = await (await source.get(`${path}/outgoing?limit=500`)).json<TransferOut[]>();
  const statusOf = (id: string) => outgoing.find((item) => item.id === id)?.status;
  expect([statusOf(first.id), statusOf(second.id)]).toEqual(["cancelled", "reversed"]);
  const own = await aWorkspace();
  const { id } = await initiate(own, target);
  await own.call("DELETE", `/v1/workspaces/${own.workspaceId}`);
  expect(await acceptId(target, id)).toMatchObject({ status: 409, code: "not_pending" });
  expect(await ownerOf(target)).toContain("@");
});

it.each([
  ["is removed", "DELETE", undefined],
  ["becomes a member", "PATCH", { role: "member" }],
])("an offer ends when the admin who made it %s, and others may offer the domain again", async (_, method, body) => {
  const own = await aWorkspace();
  const admin = await aMember(own, "admin");
  const { id } = await initiate({ ...own, ...admin }, target);
  const token = await aToken("accept", id);
  expect((await own.call(method, `/v1/workspaces/${own.workspaceId}/members/${admin.userId}`, body)).ok).toBe(true);
  expect(await acceptId(target, id)).toMatchObject({ status: 409, code: "not_pending" });
  expect(await accept(target, token)).toMatchObject({ status: 409, code: "not_pending" });
  await runOutboxAt(Date.now(), {}, ["transfer"]);
  expect(await mailedMatch(await ownerOf(target), /no longer offers you the domain/)).not.toBeNull();
  expect((await initiate(own, target)).status).toBe("pending");
});
