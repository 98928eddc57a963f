import { describe, expect, it } from "vitest";
import { auditedActions } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { register } from "../../support/domains.ts";
import { aCredential } from "../../support/smtp-credentials.ts";
import { aKey, aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const create = (body: unknown, headers?: Record<string, string>) =>
  workspace.post("/v1/smtp-credentials/", body, headers);
const list = async () => (await workspace.get("/v1/smtp-credentials/")).json();
const remove = (id: string) => workspace.call("DELETE", `/v1/smtp-credentials/${id}`);
const rowsOf = async () =>
  await database.rows("SELECT * FROM smtp_credentials WHERE workspace = ?1 ORDER BY id", [workspace.workspaceNumber]);

describe("POST /v1/smtp-credentials/", () => {
  it("returns the password once, with the username of user and domain; the list has the record without it", async () => {
    const credential = await aCredential(workspace);
    expect(credential).toEqual({
      id: expect.any(String),
      username: `${workspace.userId.slice(0, 8)}@${workspace.domain}`,
      password: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      smtp_host: "smtp.mail.test",
      smtp_port: 587,
      created_at: expect.stringMatching(/Z$/),
    });
    const { id, username, created_at } = credential;
    expect(await list()).toEqual([{ id, username, domain_id: workspace.domainId, is_active: true, created_at }]);
  });

  it("stores the password as scrypt only", async () => {
    const { password } = await aCredential(workspace);
    const rows = await rowsOf();
    expect(rows[0]?.hash).toMatch(/^scrypt\./);
    expect(JSON.stringify(rows)).not.toContain(password);
  });

  it("creates one active credential of 20 concurrent calls", async () => {
    const calls = Array.from({ length: 20 }, () => create({ domain_id: workspace.domainId }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect(await rowsOf()).toHaveLength(1);
  });

  it("returns 409 while the domain has an active credential, and 201 after it is deactivated", async () => {
    const first = await aCredential(workspace);
    expect((await create({ domain_id: workspace.domainId })).status).toBe(409);
    await remove(first.id);
    const second = await aCredential(workspace);
    expect(await list()).toMatchObject([
      { id: second.id, is_active: true },
      { id: first.id, is_active: false },
    ]);
  });

  it("returns 400 for a domain that is not verified", async () => {
    const { id } = await register(workspace);
    const response = await create({ domain_id: id });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("is not verified")]);
  });

  it("replays the same password for the same Idempotency-Key, to the same credential only", async () => {
    const headers = { "Idempotency-Key": "one" };
    const [first, second] = [
      await create({ domain_id: workspace.domainId }, headers),
      await create({ domain_id: workspace.domainId }, headers),
    ];
    expect(await second.text()).toBe(await first.text());
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    const other = apiWith(await aKey(workspace));
    expect((await other.post("/v1/smtp-credentials/", { domain_id: workspace.domainId }, headers)).status).toBe(409);
  });

  for (const domain_id of ["", "x".repeat(101), "a\r\nb", "\u0000", 7, null, undefined])
    it(`returns 422 or 404 to the domain id ${JSON.stringify(domain_id)?.slice(0, 20)}`, async () => {
      expect([404, 422]).toContain((await create({ domain_id })).status);
      expect(await rowsOf()).toEqual([]);
    });

  it("is hidden from API keys of other domains", async () => {
    const { id } = await aCredential(workspace);
    const domain = await register(workspace);
    const restricted = apiWith(await aKey(workspace, { domainIds: [domain.id] }));
    expect(await (await restricted.get("/v1/smtp-credentials/")).json()).toEqual([]);
    expect((await restricted.call("DELETE", `/v1/smtp-credentials/${id}`)).status).toBe(404);
    const body = { domain_id: workspace.domainId };
    expect((await restricted.post("/v1/smtp-credentials/", body)).status).toBe(404);
  });
});

describe("DELETE /v1/smtp-credentials/{credential_id}", () => {
  it("deactivates for good, forgets the hash, and changes nothing when it is repeated", async () => {
    const { id } = await aCredential(workspace);
    expect((await remove(id)).status).toBe(204);
    const rows = await rowsOf();
    expect(rows).toMatchObject([{ hash: null, deactivated_at: expect.any(Number) }]);
    expect((await remove(id)).status).toBe(204);
    expect(await rowsOf()).toEqual(rows);
    const actions = await auditedActions(workspace);
    expect(actions.filter((action) => action.startsWith("smtp_credential"))).toEqual([
      `smtp_credential.created ${id}`,
      `smtp_credential.deactivated ${id}`,
    ]);
  });

  it("ends with the membership of its user, and is deleted with its domain", async () => {
    const admin = await aMember(workspace, "admin");
    await aCredential({ ...workspace, post: admin.post });
    const member = `/v1/workspaces/${workspace.workspaceId}/members/${admin.userId}`;
    expect((await workspace.call("DELETE", member)).status).toBe(204);
    expect(await rowsOf()).toMatchObject([{ hash: null, deactivated_at: expect.any(Number) }]);
    expect((await workspace.call("DELETE", `/v1/domains/${workspace.domainId}?delete_mailboxes=true`)).status).toBe(
      204,
    );
    expect(await rowsOf()).toEqual([]);
  });
});

describe("GET /v1/smtp-credentials/", () => {
  it("pages without a gap", async () => {
    for (let i = 0; i < 3; i++) await remove((await aCredential(workspace)).id);
    const all = (await list()) as { id: string }[];
    const page = await workspace.get("/v1/smtp-credentials/?limit=2");
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.get("Link") ?? "")?.[1] ?? "";
    const rest = await workspace.get(
      new URL(next, "http://api.test").pathname + new URL(next, "http://api.test").search,
    );
    expect([...(await page.json<unknown[]>()), ...(await rest.json<unknown[]>())]).toEqual(all);
  });
});
