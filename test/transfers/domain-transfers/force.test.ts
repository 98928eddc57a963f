import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TransferOut } from "../../../src/transfers/domain-transfers/schema.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { insertCredential } from "../../support/smtp-credentials.ts";
import {
  acceptById,
  aSystemWorkspace,
  aToken,
  decide,
  initiate,
  insertDomain,
  ownerOf,
} from "../../support/transfers.ts";
import { apiWith, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

/** POST /v1/admin/domain-transfers/{domain_id}. */

let admin: Awaited<ReturnType<typeof aSession>>;
let adminWorkspace: TestWorkspace;
let source: TestWorkspace;
let target: TestWorkspace;

beforeAll(async () => {
  [adminWorkspace] = await Promise.all([aWorkspace(), aSystemWorkspace()]);
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [adminWorkspace.userId]);
  admin = await aSession(adminWorkspace);
});

beforeEach(async () => {
  [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
  await stamp(Date.now());
});

const stamp = (at: number | null) =>
  database.run("UPDATE sessions SET reauthenticated_at = ?2 WHERE id = ?1", [admin.sessionId, at]);
const force = async (body: unknown, id = source.domainId, api: Pick<TestWorkspace, "post"> = admin) =>
  decide(await api.post(`/v1/admin/domain-transfers/${id}`, body));

describe("a force transfer", () => {
  it("moves the domain at once with new DKIM keys, ends its SMTP credential, and is audited on both sides", async () => {
    await insertCredential(source, { domain_id: source.domainId });
    const { status, body } = await force({ target_email: await ownerOf(target) });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "completed",
      source_org_id: source.workspaceId,
      target_org_id: target.workspaceId,
    });
    expect((body as TransferOut).dkim_records).toHaveLength(2);
    expect((await target.get(`/v1/domains/${source.domainId}`)).status).toBe(200);
    const results = await database.rows(
      "SELECT 1 FROM smtp_credentials WHERE domain_id = ?1 AND deactivated_at IS NULL",
      [source.domainId],
    );
    expect(results).toEqual([]);
    for (const side of [source, target]) {
      const entries = (await readAudit(side)).filter(({ action }) => action === "domain.transferred");
      expect(entries).toMatchObject([{ actor: { user_id: adminWorkspace.userId, method: "session" } }]);
    }
  });

  it("completes the active transfer with the forced target, and its links are worth nothing", async () => {
    const elsewhere = await aWorkspace();
    for (const isAccepted of [false, true]) {
      const { id: domainId } = await insertDomain(source);
      const { id } = await initiate(source, elsewhere, domainId);
      if (isAccepted) await acceptById(elsewhere, id);
      const forced = await force({ target_email: await ownerOf(target), rotate_dkim: false }, domainId);
      expect(forced.body).toMatchObject({ id, status: "completed", target_email: await ownerOf(target) });
      const accepted = await decide(
        await elsewhere.post(`/v1/domain-transfers/${await aToken("accept", id)}/accept`, {}),
      );
      expect(accepted.status).toBe(403);
      const stopped = await decide(
        await source.post(`/v1/domain-transfers/stop/${await aToken("stop", id)}`, undefined),
      );
      expect(stopped).toMatchObject({ status: 409, code: "not_stoppable" });
    }
  });

  it("needs a re-authentication within five minutes, and a session of an administrator", async () => {
    const body = { target_email: await ownerOf(target) };
    for (const at of [null, Date.now() - 5 * 60_000 - 1_000]) {
      await stamp(at);
      expect(await force(body)).toMatchObject({ status: 403, code: "reauthentication_required" });
    }
    expect((await force(body, source.domainId, apiWith(adminWorkspace.apiKey))).status).toBe(403);
    expect((await force(body, source.domainId, await aSession(source))).status).toBe(403);
    expect((await source.get(`/v1/domains/${source.domainId}`)).status).toBe(200);
  });

  it("is refused for unknown domains and accounts, unverified domains, sub-domains, and the workspace that has it", async () => {
    const target_email = await ownerOf(target);
    for (const id of [crypto.randomUUID(), "nonsense", "%00"])
      expect((await force({ target_email }, id)).status, id).toBe(404);
    expect(await force({ target_email: "nobody@example.org" })).toMatchObject({
      status: 404,
      code: "target_not_found",
    });
    expect((await force({})).status).toBe(422);
    expect((await force({ target_email: "x" })).status).toBe(422);
    expect(await force({ target_email: await ownerOf(source) })).toMatchObject({ status: 409, code: "self_transfer" });
    const pending = await insertDomain(source, undefined, "pending");
    expect(await force({ target_email }, pending.id)).toMatchObject({ status: 409, code: "domain_not_verified" });
    const sub = await insertDomain(source, `mail.${source.domain}`);
    expect(await force({ target_email }, sub.id)).toMatchObject({ status: 409, code: "parent_domain" });
    await database.run("UPDATE memberships SET role = 'member' WHERE user_id = ?1", [target.userId]);
    expect(await force({ target_email })).toMatchObject({ status: 409, code: "target_without_workspace" });
  });

  it("twenty times at once moves it once", async () => {
    const target_email = await ownerOf(target);
    const responses = await Promise.all(Array.from({ length: 20 }, () => force({ target_email, rotate_dkim: false })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ code }) => code === "self_transfer")).toHaveLength(19);
  });
});
