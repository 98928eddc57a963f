import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminCases } from "../../access/admin-cases.ts";
import { database } from "../../support/databases.ts";
import { callRoute, mountedRoutes } from "../../support/route-tests.ts";
import { aSession } from "../../support/sessions.ts";
import { aSystemWorkspace, ownerOf } from "../../support/transfers.ts";
import { aMail, aMember, apiOn, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of administrators of the platform. */

let session: Awaited<ReturnType<typeof aSession>>;

beforeAll(aSystemWorkspace);
const workspace = perTest(aWorkspace);
let _email: string;
beforeEach(async () => {
  _email = await ownerOf(workspace);
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
  session = await aSession(workspace);
});

const textOf = async (path: string, by = session) => (await by.get(path)).text();
const locationOf = async (path: string, fields: Record<string, string> = {}) => {
  const response = await submit(session, path, fields);
  return response.headers.get("Location") ?? `${response.status} ${await response.text()}`;
};
const { "POST /v1/admin/dead-letters/:letter_id/replay": letterCase } = adminCases(async () => ({}));

describe("the home page", () => {
  it("tells administrators of the platform, and them alone, that the service cannot send its own emails", async () => {
    const text = async (by: typeof session, SYSTEM_MAILBOX: string) => {
      const headers = { Cookie: `session=${by.tokens.accessToken}` };
      return (await apiOn({ SYSTEM_MAILBOX }, null).get("/app", headers)).text();
    };
    const issue = "No sign-in links, invitations and notices are sent: SYSTEM_MAILBOX";
    expect(await text(session, "")).toContain(`${issue} is not set.`);
    expect(await text(session, "Service")).toContain(`${issue} is not an email address.`);
    const missing = `${issue} is not an active mailbox on a verified domain.`;
    expect(await text(session, `nobody@${workspace.domain}`)).toContain(missing);
    expect(await text(session, workspace.mailbox)).not.toContain("SYSTEM_MAILBOX");
    expect(await text(await aSession(await aWorkspace()), "")).not.toContain("SYSTEM_MAILBOX");
  });
});

describe("the page of receivers", () => {
  it("shows what each has accepted today, and until when one takes no mail", async () => {
    const until = Date.now() + 600_000;
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO egress_volume (address, receiver, day, emails) VALUES ('192.0.2.9', 'google', ?1, 1234)",
      ).bind(Math.floor(Date.now() / 86_400_000)),
      env.DB.prepare(
        "INSERT INTO egress_waits (receiver, egress, label, reason, until) VALUES ('outlook', 'bulk', 'Outlook', '451 <slow>', ?1)",
      ).bind(until),
    ]);
    const page = await textOf("/app/admin/receivers");
    expect(page).toContain("1,234");
    expect(page).toContain("outlook (bulk)");
    expect(page).toContain("451 &lt;slow&gt;");
    const listed = await (await session.get("/v1/admin/receivers")).json<{ receiver: string }[]>();
    expect(listed).toEqual([
      {
        ...{ receiver: "outlook", accepted_today: 0, paused_until: new Date(until).toISOString() },
        ...{ reason: "451 <slow>", egress: "bulk" },
      },
      { receiver: "google", accepted_today: 1234, paused_until: null, reason: null, egress: null },
    ]);
    const metrics = apiOn({ METRICS_TOKEN: "token-of-the-monitoring-0123456789ab" }, null);
    const text = await (
      await metrics.get("/metrics", { Authorization: "Bearer token-of-the-monitoring-0123456789ab" })
    ).text();
    expect(text).toContain('email_receiver_accepted_today{receiver="google"} 1234');
    expect(text).toMatch(/email_receiver_wait_seconds\{receiver="outlook",egress="bulk"\} \d+/);
  });
});

describe("every page of administrators", () => {
  it("refuses owners who administer nothing, who have no menu entry either", async () => {
    const owner = await aSession(await aWorkspace());
    const routes = mountedRoutes().filter((route) => route.includes(" /app/admin/"));
    expect(routes.length).toBeGreaterThan(10);
    for (const route of routes) {
      const form = { "Content-Type": "application/x-www-form-urlencoded" };
      const response = await callRoute(owner, route, { database: "main" }, "host=example.org", form);
      expect([response.status, await response.text()], route).toEqual([
        403,
        expect.stringContaining("for administrators of the platform"),
      ]);
    }
    expect(await textOf("/app", owner)).not.toContain("/app/admin/");
    expect(await textOf("/app")).toContain("/app/admin/accounts");
  });
});

describe("the accounts page", () => {
  it("finds an account, asks before it is restricted, and ends the restriction", async () => {
    const member = await aMember(workspace, "member");
    expect(await textOf(`/app/admin/accounts?email=${member.email.toUpperCase()}`)).toContain(member.email);
    expect(await textOf("/app/admin/accounts?email=nobody@example.org")).toContain("No account has the address");
    const path = `/app/admin/accounts/${member.userId}`;
    expect(await textOf(`${path}/restrict`)).toContain(`Restrict ${member.email}?`);
    expect(await locationOf(`${path}/restrict`)).toBe("/app/admin/accounts?done=restricted");
    expect(await textOf(`/app/admin/accounts?email=${member.email}`)).toContain("Restricted</span>");
    expect(await locationOf(`${path}/unrestrict`)).toBe("/app/admin/accounts?done=unrestricted");
    expect(await textOf(`/app/admin/accounts?email=${member.email}`)).toContain("Active</span>");
    expect((await submit(session, `/app/admin/accounts/${workspace.userId}/restrict`)).status).toBe(409);
    expect((await session.get("/app/admin/accounts/unknown/restrict")).status).toBe(404);
  });
});

describe("the pages of outboxes, dead letters and blocked hosts", () => {
  it("list the outbox of each database, release emails, and return 404 for another database", async () => {
    for (const name of ["main", "0", "1"]) expect((await session.get(`/app/admin/outboxes/${name}`)).status).toBe(200);
    expect((await session.get("/app/admin/outboxes/77")).status).toBe(404);
    const released = await locationOf("/app/admin/flush");
    expect(released).toMatch(/^\/app\/admin\/outboxes\/main\?released=\d+$/);
    expect(await textOf(released)).toContain("emails are due now.");
    const { outbox, shard } = testContext();
    const at = Date.now() + 86_400_000;
    const insert = outbox.prepare(
      "INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, 'page-waits', 'purge', '[]')",
    );
    await insert.bind(at).run();
    const path = `/app/admin/outboxes/${shard}`;
    expect(await textOf(path)).toContain("Make page-waits due now");
    const row = { id: "page-waits", due_at: new Date(at).toISOString() };
    expect(await locationOf(`${path}/requeue`, row)).toBe(`${path}?requeued=1`);
    expect(await locationOf(`${path}/requeue`, row)).toBe(`${path}?requeued=0`);
    expect(await textOf(`${path}?requeued=1`)).toContain("1 rows are due now.");
    for (const due_at of ["soon", ""])
      expect((await submit(session, `${path}/requeue`, { ...row, due_at })).status).toBe(422);
    await outbox.prepare("DELETE FROM outbox WHERE id = 'page-waits'").run();
  });

  it("send a dead letter again, and delete one after a question", async () => {
    const [first, second] = [await letterCase.create(), await letterCase.create()];
    expect(await textOf("/app/admin/dead-letters")).toContain(first.letter_id);
    const path = `/app/admin/dead-letters/${first.letter_id}`;
    expect(await locationOf(`${path}/replay`)).toBe("/app/admin/dead-letters?done=replayed");
    expect((await submit(session, `${path}/replay`)).status).toBe(404);
    const other = `/app/admin/dead-letters/${second.letter_id}/delete`;
    expect(await textOf(other)).toContain("Delete this dead letter?");
    expect(await locationOf(other)).toBe("/app/admin/dead-letters?done=deleted");
    expect((await session.get(other)).status).toBe(404);
  });

  it("block a host by its canonical name, show an invalid one again, and unblock it", async () => {
    const host = `h${crypto.randomUUID()}.example.net`;
    for (const _ of [1, 2])
      expect(await locationOf("/app/admin/blocked-hosts", { host: ` ${host.toUpperCase()} ` })).toBe(
        "/app/admin/blocked-hosts?done=blocked",
      );
    expect(await textOf("/app/admin/blocked-hosts")).toContain(host);
    for (const wrong of ["", "no host", "x\r\ny", "http://example.org/"]) {
      const response = await submit(session, "/app/admin/blocked-hosts", { host: wrong });
      expect([response.status, await response.text()], wrong).toEqual([422, expect.stringContaining('href="#host"')]);
    }
    const path = "/app/admin/blocked-hosts/remove";
    expect(await locationOf(path, { host })).toBe("/app/admin/blocked-hosts?done=unblocked");
    expect((await submit(session, path, { host })).status).toBe(404);
    expect(await textOf("/app/admin/audit")).toContain("unblocked the host ");
  });
});

describe("the pages of workspaces and domain claims", () => {
  it("pause a workspace after a question, so that it sends nothing, and end the pause", async () => {
    const other = await aWorkspace();
    const path = `/app/admin/workspaces/${other.workspaceId}`;
    expect(await textOf("/app/admin/workspaces")).toContain("<h1>Workspaces</h1>");
    expect(await textOf(`${path}/pause`)).toContain("Pause sending in ");
    expect(await locationOf(`${path}/pause`)).toBe("/app/admin/workspaces?done=paused");
    expect((await other.post("/v1/emails/", aMail(other))).status).toBe(403);
    expect(await locationOf(`${path}/resume`)).toBe("/app/admin/workspaces?done=resumed");
    expect((await other.post("/v1/emails/", aMail(other))).status).toBe(202);
    expect((await session.get("/app/admin/workspaces/unknown/pause")).status).toBe(404);
  });

  it("find who has verified a domain, and end that after a question", async () => {
    const other = await aWorkspace();
    const path = "/app/admin/domain-claims";
    expect(await textOf(path)).not.toContain("No workspace has verified");
    const found = await textOf(`${path}?name=mail.${other.domain.toUpperCase()}`);
    for (const text of [other.domainId, `${path}/end?name=${other.domain}`]) expect(found).toContain(text);
    expect(await textOf(`${path}?name=unknown.example.org`)).toContain("No workspace has verified");
    const wrong = await session.get(`${path}?name=no+domain`);
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('href="#name"')]);
    expect(await textOf(`${path}/end?name=${other.domain}`)).toContain(`End the verification of ${other.domain}?`);
    expect(await locationOf(`${path}/end`, { name: other.domain })).toBe(`${path}?name=${other.domain}&done=ended`);
    expect((await submit(session, `${path}/end`, { name: other.domain })).status).toBe(404);
    const { status } = await (await other.get(`/v1/domains/${other.domainId}`)).json<{ status: string }>();
    expect(status).toBe("failed");
  });
});

describe("the page of the force transfer", () => {
  it("moves a domain, and says which field is wrong", async () => {
    const [source, target] = [await aWorkspace(), await aWorkspace()];
    const form = { domain_id: source.domainId, target_email: await ownerOf(target) };
    const submitForce = async (fields: Record<string, string>) => {
      const response = await submit(session, "/app/admin/transfers", fields);
      return [response.status, await response.text()];
    };
    const refused = (field: string) => [422, expect.stringContaining(`href="#${field}"`)];
    expect(await submitForce({ ...form, target_email: "nobody@example.org" })).toEqual(refused("target_email"));
    expect(await submitForce({ ...form, domain_id: "unknown" })).toEqual(refused("domain_id"));
    expect(await locationOf("/app/admin/transfers", form)).toBe("/app/admin/transfers?done=moved");
    expect((await target.get(`/v1/domains/${source.domainId}`)).status).toBe(200);
    expect((await submit(session, "/app/admin/transfers", form)).status).toBe(409);
  });
});
