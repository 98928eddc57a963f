/** Budgets whose rows a job counts, since an INSERT would read too many. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/lib/time.ts";
import { type AuditAction, actions, isRefusable } from "../../../src/platform/audit/actions.ts";
import { eventLimits } from "../../../src/platform/person-events/rules.ts";
import { aList } from "../../audience/contacts/support.ts";
import { database, mail } from "../../support/databases.ts";
import { runHour, runMainHour } from "../../support/retention.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest, type TestWorkspace, testContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

/** Gives the workspace budgets of the operator. */
const lower = async (budgets: Record<string, number>, { workspaceNumber, workspaceId }: TestWorkspace = workspace) => {
  const text = JSON.stringify(budgets);
  await env.DB.prepare("UPDATE workspaces SET budgets = ?2 WHERE number = ?1").bind(workspaceNumber, text).run();
  await mail
    .prepare(
      `INSERT INTO shard_workspaces (number, id, status, budgets) VALUES (?1, ?2, 'open', ?3)
       ON CONFLICT DO UPDATE SET budgets = excluded.budgets`,
    )
    .bind(workspaceNumber, workspaceId, text)
    .run();
};
const importFile = (path: string, rows: string[]) => {
  const form = new FormData();
  form.set("file", new Blob([["email", ...rows].join("\n")]), "a.csv");
  const request = new Response(form);
  return workspace.call("POST", path, request.body, { "Content-Type": request.headers.get("Content-Type") ?? "" });
};
const answer = async (response: Response) => [response.status, ((await response.json()) as { detail: string }).detail];
const full = (used: string, of: string, remedy: string) => [
  409,
  `The workspace has ${used} ${of}, which is the limit; ${remedy}`,
];

describe("rows that a job counts", () => {
  it("of contacts are refused by API and CSV from its next run on, until it has counted fewer", async () => {
    const list = await aList(workspace);
    const path = `/v1/contacts/${list.id}/contacts`;
    const add = (name: string) => workspace.post(path, { email: `${name}@example.org` });
    const file = () => importFile(`/v1/contacts/${list.id}/upload`, ["x@example.org"]);
    const ids: string[] = [];
    for (const name of ["a", "b"]) ids.push((await (await add(name)).json<{ id: string }>()).id);
    await lower({ contacts: 2 });
    await runHour(testContext());
    const refused = full("2", "contacts", "delete some first");
    expect([await answer(await add("c")), await answer(await file())]).toEqual([refused, refused]);
    expect((await workspace.call("DELETE", `${path}/${ids[0]}`)).status).toBe(204);
    await runHour(testContext());
    expect((await add("c")).status).toBe(201);
  });

  it("of events are refused", async () => {
    const send = () => workspace.post("/v1/events", { name: "seen", email: "a@example.org" });
    expect((await send()).status).toBe(202);
    await lower({ events: 1 });
    await runHour(testContext());
    expect(await answer(await send())).toEqual(
      full("1", "events", `wait until the first are ${eventLimits.keptMs / DAY_MS} days old`),
    );
  });

  it("of suppressions and choices are refused at once, and none of an import is added", async () => {
    await lower({ suppressions: 2, topic_choices: 1 });
    const add = (email: string) => workspace.post("/v1/suppressions/", { email, reason: "manual" });
    const file = (rows: string[]) => importFile("/v1/suppressions/import", rows);
    expect((await add("a@example.org")).status).toBe(201);
    expect((await add("a@example.org")).status).toBe(200);
    const refused = full("1", "suppressed addresses", "remove some first");
    expect(await answer(await file(["b@example.org", "c@example.org"]))).toEqual(refused);
    expect((await file(["b@example.org"])).status).toBe(200);
    expect(await answer(await add("c@example.org"))).toEqual(full("2", "suppressed addresses", "remove some first"));
    expect((await workspace.call("DELETE", "/v1/suppressions/a@example.org")).status).toBe(204);
    await runMainHour(testContext());
    expect((await add("c@example.org")).status).toBe(201);

    // A change that needs no new row is never refused.
    expect((await file(["c@example.org", "b@example.org"])).status).toBe(200);

    const topic = await (await workspace.post("/v1/topics/", { name: "News" })).json<{ id: string }>();
    const choose = (email: string, choice = "unsubscribed") =>
      workspace.call("PUT", `/v1/people/${email}/topics`, { topics: [{ id: topic.id, choice }] });
    expect((await choose("a@example.org", "subscribed")).status).toBe(200);
    expect((await choose("a@example.org")).status).toBe(200);
    expect(await answer(await choose("b@example.org"))).toEqual(
      full("1", "choices about topics", "delete a topic first"),
    );
  });

  it("of audit entries refuse changes, and none that ends a right", async () => {
    const add = (email: string) => workspace.post("/v1/suppressions/", { email, reason: "manual" });
    expect((await add("a@example.org")).status).toBe(201);
    await lower({ audit_log: 1 });
    await runMainHour(testContext());
    const refused = await add("b@example.org");
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { detail: expect.stringContaining("audit entries, which is the limit; ask the operator for more") },
    ]);
    expect((await workspace.call("DELETE", "/v1/suppressions/a@example.org")).status).toBe(204);
    const left = "SELECT count(*) FROM suppressions WHERE workspace = ?1";
    expect(await database.value(left, [workspace.workspaceNumber])).toBe(0);
  });

  it("of audit entries refuse no change that ends a right, none of an operator, and no other workspace's", async () => {
    const ends = Object.keys(actions).filter((action) =>
      /(revoked|deleted|removed|ended|shut|limited|left)$/.test(action),
    );
    expect(ends).toEqual(
      expect.arrayContaining(["mailbox.app_password_deleted", "domain.claim_ended", "workspace.shut"]),
    );
    expect(ends.filter((action) => isRefusable(action as AuditAction))).toEqual([]);
    const session = await aSession(workspace);
    await lower({ audit_log: 1 });
    await runMainHour(testContext());
    const { id } = await (await session.post("/v1/workspaces/", { name: "Another" })).json<{ id: string }>();
    expect(id).toEqual(expect.any(String));
    const operator = await aWorkspace();
    await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [operator.userId]);
    const admin = await aSession(operator);
    expect((await admin.post(`/v1/admin/workspaces/${workspace.workspaceId}/shut`, undefined)).status).toBe(200);
  });

  it("are shown as used, beside what is counted by each INSERT", async () => {
    const list = await aList(workspace);
    await workspace.post(`/v1/contacts/${list.id}/contacts`, { email: "a@example.org" });
    await runHour(testContext());
    const usage = await (await workspace.get(`/v1/workspaces/${workspace.workspaceId}/usage`)).json();
    expect(usage).toEqual(
      expect.arrayContaining([
        { of: "contacts", name: "contacts", used: 1, limit: 2_000_000, at_limit: "delete some first" },
        { of: "contact_lists", name: "contact lists", used: 1, limit: 10_000, at_limit: "delete one first" },
        expect.objectContaining({ of: "content", name: "megabytes of content", used: 0, limit: 50_000 }),
      ]),
    );
  });
});

describe("rows that each INSERT counts", () => {
  it("of drafts of broadcasts are refused; those that are scheduled do not count", async () => {
    await lower({ broadcasts: 1 });
    const create = () =>
      workspace.post("/v1/broadcasts/", { name: "A", subject: "S", from_address: workspace.mailbox });
    expect((await create()).status).toBe(201);
    expect(await answer(await create())).toEqual(full("1", "drafts of broadcasts", "send or delete one first"));
  });

  it("of workspaces are those that a user owns", async () => {
    await env.DB.prepare(
      `INSERT INTO workspaces (id, name, slug, created_at)
       WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 99) SELECT ?1 || n, 'W', ?1 || n, 0 FROM c`,
    )
      .bind(workspace.workspaceId)
      .run();
    const join = `INSERT INTO memberships (workspace, user_id, role, created_at)
      SELECT number, ?2, 'owner', 0 FROM workspaces WHERE slug GLOB ?1 || '*' AND name = 'W' LIMIT ?3`;
    const session = await aSession(workspace);
    await env.DB.prepare(join).bind(workspace.workspaceId, workspace.userId, 99).run();
    expect(await answer(await session.post("/v1/workspaces/", { name: "One more" }))).toEqual([
      409,
      "The user has 100 workspaces, which is the limit; delete one first",
    ]);
  });
});
