import { env } from "cloudflare:workers";
import { afterAll, expect, it } from "vitest";
import { readDeployedKeys } from "../../../src/operations/secret-rotation/deployed-keys.ts";
import { type Cursor, rewrapStep } from "../../../src/operations/secret-rotation/rewrap.ts";
import { forgetErasedKey, reloadErasedKey } from "../../../src/platform/erased-addresses/key.ts";
import { erase } from "../../audience/people/support.ts";
import { database } from "../../support/databases.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aMail, apiOn, aWorkspace, testContext } from "../../support/workspace.ts";

const OLD = (env as unknown as Record<string, string>).MASTER_KEYS ?? "";
const NEW = `2:${btoa("e".repeat(32))}`;

/** Returns functions that call a Worker with these master keys whose isolate has just started. */
function inNewIsolate(MASTER_KEYS: string, apiKey: string) {
  forgetErasedKey();
  return apiOn({ MASTER_KEYS }, apiKey);
}

async function rotate(MASTER_KEYS: string): Promise<void> {
  const ctx = testContext({ MASTER_KEYS });
  for (let cursor: Cursor | null = { column: 0, after: "" }; cursor; ) cursor = (await rewrapStep(ctx, cursor)).next;
}

afterAll(async () => {
  // Its row is under the new key.
  await database.run("DELETE FROM service_keys");
  await reloadErasedKey(testContext());
});

it("what stops mail to an erased person counts after the master key was replaced", async () => {
  const workspace = await aWorkspace();
  const [left, suppressed] = ["left", "listed"].map((name) => `delivered+${name}@simulator.test`);
  if (!left || !suppressed) throw new Error("two addresses");
  const topic = await aTopic(workspace);
  await personOf(workspace, left).choose(topic.id, "unsubscribed");
  await workspace.post("/v1/suppressions/", { email: suppressed, reason: "complaint" });
  for (const address of [left, suppressed]) expect(await erase(workspace, address)).toMatchObject({ status: "done" });
  const list = await workspace.create("/v1/contacts/", { name: "News" });

  const both = inNewIsolate(`${OLD},${NEW}`, workspace.apiKey);
  const mailTo = (email: string, changes = {}) => aMail(workspace, { to: [{ email }], ...changes });
  expect((await both.get("/v1/me")).status).toBe(200);
  const send = async (api: typeof both, body: unknown) => {
    const response = await api.post("/v1/emails/", body);
    return response.status === 202 ? (await response.json<{ status: string }>()).status : response.status;
  };
  // Before the stored secrets were encrypted again, a Worker without the old key decides nothing.
  expect(await send(inNewIsolate(NEW, workspace.apiKey), mailTo(suppressed))).toBe(500);
  expect((await readDeployedKeys(testContext({ MASTER_KEYS: `${OLD},${NEW}` }))).sealed_under).toContain(1);

  await rotate(`${OLD},${NEW}`);
  expect((await readDeployedKeys(testContext({ MASTER_KEYS: NEW }))).sealed_under).toEqual([2]);
  const api = inNewIsolate(NEW, workspace.apiKey);
  const contact = await api.post(`/v1/contacts/${list.id}/contacts`, { email: suppressed });
  expect(await contact.json()).toMatchObject({ suppressed: true });
  expect(await send(api, mailTo(suppressed))).toBe("rejected");
  expect(await send(api, mailTo(left, { topic_id: topic.id }))).toBe("rejected");
  expect(await send(api, mailTo("delivered+other@simulator.test", { topic_id: topic.id }))).toBe("queued");
});
