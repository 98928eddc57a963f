import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sweepObjects } from "../../../src/operations/retention/sweep-objects.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { runRetention } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

it("the content of a test is kept while its emails are", async () => {
  const { id } = await broadcasts.create();
  expect(
    (await broadcasts.api.post(`${broadcasts.path(id)}/test`, { to: ["delivered+a@simulator.test"] })).status,
  ).toBe(202);
  await broadcasts.api.call("DELETE", broadcasts.path(id));
  await sweepObjects(testContext({}, () => Date.now() + 48 * 3_600_000));
  await runOutboxAt(Date.now());
  const { objects } = await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/broadcasts/${id}/test-` });
  expect(objects).toHaveLength(1);
});

it("the content of a broadcast that made no email is deleted with it", async () => {
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 1) });
  await broadcasts.act(id, "send");
  const prefix = `w/${workspace.workspaceId}/broadcasts/${id}/`;
  const objects = async () => (await env.CONTENT.list({ prefix })).objects.length;
  // The run is killed between the content and the first page. Before, the sweep finds its row by a batch.
  let batches = 0;
  const batch = (statements: D1PreparedStatement[]) =>
    batches++ === 0 ? mail.batch(statements) : Promise.reject(new Error("killed"));
  await runOutboxAt(Date.now(), { [MAIL_BINDING]: { prepare: (sql: string) => mail.prepare(sql), batch } }, [
    "broadcast",
  ]).catch(() => {});
  expect([await objects(), (await emailsOf(id)).length]).toEqual([1, 0]);
  await broadcasts.act(id, "cancel");
  expect((await broadcasts.api.call("DELETE", broadcasts.path(id))).status).toBe(204);
  await runOutboxAt(Date.now() + 600_000, {}, ["purge"]);
  expect(await objects()).toBe(0);
});

it("the content of a broadcast is kept until its last email expires", async () => {
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 3) });
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const objects = async () =>
    (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/broadcasts/${id}/` })).objects.length;
  expect(await objects()).toBe(1);
  const day = 24 * 3_600_000;
  const expire = async (email: string) => {
    await database.run("UPDATE emails SET created_at = ?2 WHERE id = ?1", [email, Date.now() - 40 * day]);
    await runRetention(testContext({ RETENTION_DAYS: "30" }));
    await runOutboxAt(Date.now() + 600_000, {}, ["purge"]);
  };
  const [first, ...rest] = await emailsOf(id);
  await expire(first?.id ?? "");
  expect([(await emailsOf(id)).length, await objects()]).toEqual([2, 1]);
  const pages = () =>
    database.value<number>(
      "SELECT count(*) AS n FROM broadcast_pages p JOIN broadcasts b ON b.n = p.broadcast WHERE b.id = ?1",
      [id],
    );
  expect(await pages()).toBe(1);
  for (const email of rest) await expire(email.id);
  expect(await pages()).toBe(0);
  expect([(await emailsOf(id)).length, await objects()]).toEqual([0, 0]);
});
