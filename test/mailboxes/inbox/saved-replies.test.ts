import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { aWorkspace, perTest } from "../../support/workspace.ts";

/** Saved replies of a mailbox (docs/contract/inbox.md#saved-replies). */

const workspace = perTest(aWorkspace);

interface Reply {
  id: string;
  name: string;
  text: string;
}

const call = (method: string, suffix = "", body?: unknown, of = workspace) =>
  of.call(method, `/v1/inbox/${of.mailboxId}/saved-replies${suffix}`, body);
const list = async () => (await call("GET")).json<Reply[]>();
const create = async (name: string) => (await call("POST", "", { name, text: "Hello" })).json<Reply>();

it("are listed by name, changed and deleted, each without the other fields", async () => {
  const [times, hours] = [await create("Times"), await create("Hours")];
  expect(await list()).toEqual([hours, times]);
  const renamed = await (await call("PATCH", `/${times.id}`, { name: "A time" })).json<Reply>();
  expect(renamed).toEqual({ ...times, name: "A time" });
  const changed = await (await call("PATCH", `/${times.id}`, { text: "Soon." })).json<Reply>();
  expect(await list()).toEqual([{ ...renamed, text: "Soon." }, hours]);
  expect(changed.text).toBe("Soon.");
  expect((await call("DELETE", `/${hours.id}`)).status).toBe(204);
  expect(await list()).toEqual([changed]);
  expect((await call("DELETE", `/${hours.id}`)).status).toBe(404);
});

it("have names of which no two differ in letter case only, and texts of 1 to 10,000 characters", async () => {
  const { id } = await create("Times");
  const other = await create("Hours");
  expect((await call("POST", "", { name: "TIMES", text: "a" })).status).toBe(409);
  expect((await call("PATCH", `/${other.id}`, { name: "times" })).status).toBe(409);
  expect((await call("PATCH", `/${id}`, { name: "times" })).status).toBe(200);
  for (const text of ["", "x".repeat(10_001), "a\u0000b", 5])
    expect((await call("POST", "", { name: "More", text })).status, String(text).slice(0, 9)).toBe(422);
});

it("are 100 of a mailbox at most", async () => {
  const store = env.MAILBOX.getByName(workspace.mailboxId);
  for (let n = 0; n < 100; n++) await store.saveReply({ id: crypto.randomUUID(), name: `${n}`, text: "a" }, true);
  const refused = await call("POST", "", { name: "One more", text: "a" });
  expect([refused.status, await refused.json()]).toEqual([409, { detail: "A mailbox has at most 100 saved replies" }]);
});

it("of another mailbox, and unknown ones, are not found", async () => {
  const other = await aWorkspace();
  const { id } = await create("Times");
  expect((await call("PATCH", `/${id}`, { name: "Mine" }, other)).status).toBe(404);
  expect((await call("DELETE", `/${crypto.randomUUID()}`)).status).toBe(404);
  expect((await other.call("GET", `/v1/inbox/${workspace.mailboxId}/saved-replies`)).status).toBe(404);
  expect((await list()).map(({ name }) => name)).toEqual(["Times"]);
});
