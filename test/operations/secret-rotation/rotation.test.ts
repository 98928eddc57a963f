import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { authenticateApiKey } from "../../../src/access/accounts/authenticate.ts";
import { refreshSession } from "../../../src/access/sessions/refresh.ts";
import { openDkimKey } from "../../../src/domains/domains/index.ts";
import { createMagicLink, TOTP_PURPOSE } from "../../../src/identity/sign-ins/index.ts";
import { STEP_MS } from "../../../src/identity/sign-ins/second-factor/totp-code.ts";
import { open, seal } from "../../../src/lib/secret-box.ts";
import { rotationReport } from "../../../src/operations/secret-rotation/report.ts";
import { type Cursor, rewrapStep } from "../../../src/operations/secret-rotation/rewrap.ts";
import { sealedColumns } from "../../../src/operations/secret-rotation/sealed-columns.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { browser, codeOf } from "../../support/sign-ins.ts";
import { insertTransfer, ownerOf } from "../../support/transfers.ts";
import { aKey, apiWith, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const OLD = (env as unknown as Record<string, string>).MASTER_KEYS ?? "";
const NEW = `2:${btoa("n".repeat(32))}`;
const both = () => testContext({ MASTER_KEYS: `${OLD},${NEW}` });
const onlyNew = () => testContext({ MASTER_KEYS: NEW });

/** Encrypts everything again. Returns how many values changed. */
async function rewrapAll(ctx: Ctx): Promise<number> {
  let total = 0;
  for (let cursor: Cursor | null = { column: 0, after: "" }; cursor !== null; ) {
    const step: Awaited<ReturnType<typeof rewrapStep>> = await rewrapStep(ctx, cursor);
    total += step.rewrapped;
    cursor = step.next;
  }
  return total;
}

async function dkimKeysOf({ domainId }: TestWorkspace) {
  const sql = "SELECT id, private_key FROM dkim_keys WHERE domain_id = ?1";
  return (await env.DB.prepare(sql).bind(domainId).all<{ id: string; private_key: string }>()).results;
}

it("after a rotation every DKIM key, TOTP secret, Slack URL, used API key and refreshed session works without the old key", async () => {
  const workspace = await aWorkspace();
  const session = await aSession(workspace);
  const { secret } = await (await session.post("/v1/auth/totp/setup", undefined)).json<{ secret: string }>();
  const patched = await session.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, {
    settings: { slack_webhook_url: "https://hooks.slack.com/services/T0/B0/x" },
  });
  expect(patched.status).toBe(200);
  const before = await Promise.all(
    (await dkimKeysOf(workspace)).map(({ id, private_key }) => openDkimKey(testContext(), id, private_key)),
  );
  const unused = await aKey(workspace, { name: "Never used" });

  expect(await rewrapAll(both())).toBeGreaterThanOrEqual(4);
  expect(await rewrapAll(both())).toBe(0);
  for (const { table, column } of sealedColumns) {
    const left = await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} NOT LIKE '2.%'`).first("n");
    expect(left, `${table}.${column}`).toBe(0);
  }
  const { touch } = await authenticateApiKey(both(), workspace.apiKey);
  await touch?.();
  const tokens = await refreshSession(both(), session.tokens.refreshToken);

  const keys = await dkimKeysOf(workspace);
  expect(keys).toHaveLength(2);
  for (const [index, { id, private_key }] of keys.entries())
    expect(await openDkimKey(onlyNew(), id, private_key)).toEqual(before[index]);
  const totp = await database.value<string>("SELECT secret FROM user_totp WHERE user_id = ?1", [workspace.userId]);
  expect((await open(onlyNew().settings.masterKeys, TOTP_PURPOSE, workspace.userId, totp ?? "")).byteLength).toBe(20);
  expect(secret).toHaveLength(32);
  expect((await authenticateApiKey(onlyNew(), workspace.apiKey)).workspace.id).toBe(workspace.workspaceId);
  expect(await refreshSession(onlyNew(), tokens?.refreshToken ?? "")).not.toBeNull();

  const { apiKeys } = await rotationReport(onlyNew());
  const mine = apiKeys.filter((key) => unused.startsWith(key.prefix) || workspace.apiKey.startsWith(key.prefix));
  expect(mine).toMatchObject([{ name: "Never used", last_used_at: null }]);
  await expect(authenticateApiKey(onlyNew(), unused)).rejects.toMatchObject({ status: 401 });
});

it("every column of secrets has each value under the new key afterwards, and nothing else is changed", async () => {
  const [workspace, target] = await Promise.all([aWorkspace(), aWorkspace()]);
  const { id } = await insertTransfer({ source: workspace, email: await ownerOf(target) });
  const { workspaceNumber, domainId } = workspace;
  const inserts = [
    `INSERT INTO domain_transfer_keys (id, transfer_id, domain_id, selector, algorithm, public_key, private_key, created_at)
     VALUES (?1, '${id}', '${domainId}', 's', 'rsa-sha256', 'p', ?2, 1)`,
    `INSERT INTO forwarding_rules (id, workspace, domain_id, match, action, target, secret, is_active, position, created_at, updated_at)
     VALUES (?1, ${workspaceNumber}, '${domainId}', '*', 'webhook', 'https://example.com/', ?2, 1, 1, 1, 1)`,
    `INSERT INTO webhooks (id, workspace, url, events, secret, secret_end, previous_secret, version, created_at)
     VALUES (?1, ${workspaceNumber}, 'https://example.com/', '[]', ?2, 'x', ?2, 1, 1)`,
  ];
  const tables = ["domain_transfer_keys", "forwarding_rules", "webhooks"];
  const columns = sealedColumns.filter(({ table }) => tables.includes(table));
  expect(columns).toHaveLength(4);
  const secret = new Uint8Array([1, 2, 3]);
  for (const [at, insert] of inserts.entries()) {
    const { purpose = "" } = columns.find(({ table }) => table === tables[at]) ?? {};
    const sealed = await seal(testContext().settings.masterKeys, purpose, id, secret);
    await env.DB.prepare(insert).bind(id, sealed).run();
  }
  const read = async () =>
    Promise.all(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table} WHERE id = ?1`).bind(id).first()));
  const before = await read();
  await rewrapAll(both());
  const after = await read();
  for (const { table, column, purpose } of columns) {
    const sealed = after[tables.indexOf(table)]?.[column];
    expect(await open(onlyNew().settings.masterKeys, purpose, id, String(sealed)), `${table}.${column}`).toEqual(
      secret,
    );
  }
  const others = (rows: typeof before) =>
    rows.map((row) => ({ ...row, secret: "", previous_secret: "", private_key: "" }));
  expect(others(after)).toEqual(others(before));
});

it("a user with two-factor authentication signs in after the old key was removed", async () => {
  // In the middle of a time step, so that no code expires during the test.
  vi.useFakeTimers({ now: Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2, toFake: ["Date"] });
  try {
    const workspace = await aWorkspace();
    const session = await aSession(workspace);
    const { secret } = await (await session.post("/v1/auth/totp/setup", undefined)).json<{ secret: string }>();
    const enabled = await session.post("/v1/auth/totp/enable", { code: await codeOf(secret, -1) });
    expect(enabled.status).toBe(200);
    const signIn = async () => {
      const page = browser({ MASTER_KEYS: NEW });
      const link = await createMagicLink(onlyNew(), { email: `owner@${workspace.domain}`, next: "/app" });
      expect((await page.post(new URL(link).pathname)).headers.get("Location")).toBe("/auth/totp");
      return page.post("/auth/totp", { code: await codeOf(secret) });
    };
    expect((await signIn()).status, "before the rotation").toBe(500);
    await rewrapAll(both());
    expect((await signIn()).headers.get("Location")).toBe("/app");
  } finally {
    vi.useRealTimers();
  }
});

it("the command's endpoint takes a request that is signed with a master key only", async () => {
  const post = (headers: Record<string, string>) =>
    apiWith(null).post("/auth/rotate-secrets", { column: 0, after: "" }, headers);
  const workspace = await aWorkspace();
  const session = await aSession(workspace);
  for (const token of ["x", workspace.apiKey, session.tokens.accessToken])
    expect((await post({ Authorization: `Bearer ${token}` })).status).toBe(401);
  expect((await post({})).status).toBe(401);
});
