import { expect, it } from "vitest";
import { budgetOf } from "../../../src/platform/budgets/spent.ts";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { apiOn, aWorkspace, perTest } from "../../support/workspace.ts";
import { createKey, errorOf, inHours, revoke, rotate } from "./support.ts";

const workspace = perTest(aWorkspace);

const create = (body: Record<string, unknown> = {}) => workspace.post("/v1/api-keys/", { name: "A", ...body });
const most = budgetOf("api_keys").rows;
const TOO_MANY = [409, "The workspace has 100 valid API keys, which is the limit; revoke one first"];

/** Stores rows of keys, which no secret matches. `ended`: how they have ended; default: they are valid. */
const stored = (count: number, ended: { expires?: number; revoked?: number; replacedBy?: string } = {}) =>
  database.run(
    `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?3)
     INSERT INTO api_keys (id, workspace, user_id, name, prefix, hash, scopes, created_at, expires_at, revoked_at, replaced_by_id)
     SELECT ?7 || i, ?1, ?2, 'K', 'svc_k_', ?7 || i, '["*"]', 0, ?4, ?5, ?6 FROM c`,
    [
      ...[workspace.workspaceNumber, workspace.userId, count],
      ...[ended.expires ?? null, ended.revoked ?? null, ended.replacedBy ?? null, crypto.randomUUID()],
    ],
  );

it("a workspace has at most 100 valid keys, also by two calls at once", async () => {
  // The workspace has the key that the test calls with.
  await stored(most - 3);
  await createKey(workspace, { expires_at: inHours(1) });
  const responses = await Promise.all([create(), create()]);
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(await errorOf(await create())).toEqual(TOO_MANY);
});

it("keys that are revoked, expired or rotated do not count", async () => {
  await stored(most, { revoked: 1 });
  await stored(most, { expires: 1 });
  await stored(most, { replacedBy: "another" });
  await stored(most - 2);
  const { id } = await createKey(workspace);
  expect(await errorOf(await create())).toEqual(TOO_MANY);
  expect((await revoke(workspace, id)).status).toBe(204);
  await createKey(workspace);
});

it("a key is rotated also when the workspace has as many as it may", async () => {
  await stored(most - 2);
  const { id } = await createKey(workspace);
  expect((await rotate(workspace, id)).status).toBe(201);
  expect(await errorOf(await create())).toEqual(TOO_MANY);
});

it("valid keys are counted by their index", async () => {
  const { bindings, trips } = countingDb();
  await createKey(apiOn(bindings, workspace.apiKey));
  const insert = trips.flatMap(({ statements }) => statements).find(({ sql }) => sql.includes("INTO api_keys"));
  const plan = insert ? (await planOf(insert)).join("\n") : "";
  expect(plan).toContain("USING INDEX api_keys_live (workspace=? AND expires_at=?)");
  expect(plan).toContain("USING INDEX api_keys_live (workspace=? AND expires_at>?)");
});
