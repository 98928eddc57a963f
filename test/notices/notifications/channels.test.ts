import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { database } from "../../support/databases.ts";
import { aMember, aWorkspace, perSuite, type TestWorkspace } from "../../support/workspace.ts";
import { aSlackWebhook, listed, makeOwner, notify, sendDue, waiting } from "./support.ts";

const PREFERENCES = "/v1/notifications/preferences";
const categories = ["alerts", "sends", "team"] as const;
const DEFAULTS = {
  alerts: { web: true, email: true, slack: true },
  sends: { web: true, email: false, slack: true },
  team: { web: true, email: false, slack: false },
};
const system = perSuite(aWorkspace);

const put = (api: Pick<TestWorkspace, "call">, preferences: unknown) => api.call("PUT", PREFERENCES, { preferences });

/** Returns the addresses and subjects of the emails of the service to the owners of a workspace. */
async function emailsTo(addresses: readonly string[]): Promise<{ to: string; subject: string }[]> {
  const results = await database.rows<{ recipients: string; subject: string }>(
    "SELECT recipients, subject FROM emails WHERE workspace = ?1 AND source = 'system'",
    [system.workspaceNumber],
  );
  return results
    .map(({ recipients, subject }) => ({
      to: (JSON.parse(recipients) as { email: string }[])[0]?.email ?? "",
      subject,
    }))
    .filter(({ to }) => addresses.includes(to));
}

const emailOf = async (userId: string) =>
  (await database.row<{ email: string }>("SELECT email FROM users WHERE id = ?1", [userId]))?.email ?? "";

describe("notification preferences", () => {
  it("have defaults, keep what is left out, ignore unknown keys, and belong to the user", async () => {
    const workspace = await aWorkspace();
    const colleague = await aMember(workspace, "admin");
    const of = async (api: Pick<TestWorkspace, "get">) => (await api.get(PREFERENCES)).json();
    expect(await of(workspace)).toEqual({ preferences: DEFAULTS });
    const changed = await put(workspace, { alerts: { email: false, pager: true }, hats: { web: false } });
    expect([changed.status, await changed.json()]).toEqual([
      200,
      { preferences: { ...DEFAULTS, alerts: { web: true, email: false, slack: true } } },
    ]);
    await Promise.all([put(workspace, { team: { slack: true } }), put(workspace, { sends: { web: false } })]);
    expect(await of(workspace)).toEqual({
      preferences: {
        alerts: { web: true, email: false, slack: true },
        sends: { web: false, email: false, slack: true },
        team: { web: true, email: false, slack: true },
      },
    });
    expect(await of(colleague)).toEqual({ preferences: DEFAULTS });
  });

  it.each([[null], ["on"], [[]], [1], [undefined]])("%j instead of an object is a 400", async (value) => {
    const workspace = await aWorkspace();
    const response = await put(workspace, value);
    expect([response.status, await response.json()]).toEqual([
      400,
      { detail: "preferences must be an object of categories" },
    ]);
  });

  it.each([[{ alerts: { web: "yes" } }], [{ alerts: true }], [{ sends: { email: null } }]])(
    "%j is a 422",
    async (value) => {
      const workspace = await aWorkspace();
      const response = await put(workspace, value);
      expect(response.status).toBe(422);
      const { detail } = await response.json<{ detail: { loc: string[] }[] }>();
      expect(detail[0]?.loc.slice(0, 2)).toEqual(["body", "preferences"]);
      expect(await (await workspace.get(PREFERENCES)).json()).toEqual({ preferences: DEFAULTS });
    },
  );

  it("keys of the prototype change nothing", async () => {
    const workspace = await aWorkspace();
    const response = await workspace.call(
      "PUT",
      PREFERENCES,
      '{"preferences":{"__proto__":{"web":false},"constructor":{"web":false}}}',
    );
    expect(await response.json()).toEqual({ preferences: DEFAULTS });
    expect(({} as { web?: boolean }).web).toBeUndefined();
  });
});

describe("each channel of each category", () => {
  it("gets an event exactly when the owner wants it", async () => {
    const workspace = await aWorkspace();
    const { posts } = await aSlackWebhook(workspace);
    const address = await emailOf(workspace.userId);
    const expected = { web: [] as string[], email: [] as string[], slack: [] as string[] };
    for (const category of categories)
      for (let flags = 0; flags < 8; flags++) {
        const wanted = { web: (flags & 1) > 0, email: (flags & 2) > 0, slack: (flags & 4) > 0 };
        await put(workspace, { [category]: wanted });
        const title = `${category} ${flags}`;
        await notify(workspace, { category, title });
        await sendDue(workspace, system);
        for (const channel of ["web", "email", "slack"] as const) if (wanted[channel]) expected[channel].push(title);
      }
    const { items } = await listed(workspace, "?limit=200");
    expect(items.map(({ title }) => title).reverse()).toEqual(expected.web);
    const emails = (await emailsTo([address])).map(({ subject }) => subject.replace(/ \(.*/, ""));
    expect(emails.sort()).toEqual(expected.email.sort());
    const texts = (await posts()).map(({ body }) => /\*(.*?)\*/.exec((JSON.parse(body) as { text: string }).text)?.[1]);
    expect(texts.sort()).toEqual(expected.slack.sort());
    expect(await waiting(workspace)).toEqual([]);
  });

  it("Slack gets one post however many owners want it; each owner gets an email, once when the row is run again", async () => {
    const workspace = await aWorkspace();
    const others = await Promise.all([1, 2].map(() => aMember(workspace, "admin")));
    for (const { userId } of others) await makeOwner(workspace, userId);
    const { posts } = await aSlackWebhook(workspace);
    await put(others[0] ?? workspace, { alerts: { email: false, slack: false } });
    await notify(workspace, { title: "Once", body: "<!channel> & <https://evil.example|link>" });
    const rows = await env.DB.prepare(
      "SELECT * FROM outbox WHERE kind = 'notify' AND ref->>'workspace' = ?1 AND ref->>'channel' = 'email'",
    )
      .bind(workspace.workspaceNumber)
      .first<Record<string, unknown>>();
    expect(await sendDue(workspace, system)).toBe(2);
    // As after a run that was interrupted before it deleted its row.
    await env.DB.prepare("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, ?3, ?4)")
      .bind(rows?.due_at, rows?.id, rows?.kind, rows?.ref)
      .run();
    expect(await sendDue(workspace, system)).toBe(1);
    const sent = await emailsTo([await emailOf(workspace.userId), ...others.map(({ email }) => email)]);
    expect(sent.map(({ to }) => to).sort()).toEqual([await emailOf(workspace.userId), others[1]?.email].sort());
    const [post, ...more] = await posts();
    expect(more).toEqual([]);
    expect(post?.type).toBe("application/json");
    expect(JSON.parse(post?.body ?? "").text).toContain("\n&lt;!channel&gt; &amp; &lt;https://evil.example|link&gt;");
  });
});

describe("a post to Slack", () => {
  const waits = [60_000, 300_000, 1_800_000, 7_200_000];

  it.each([500, 503, 429])("that gets %d is repeated after 1, 5, 30 and 120 minutes, then given up", async (status) => {
    const workspace = await aWorkspace();
    const { posts } = await aSlackWebhook(workspace, status);
    await put(workspace, { alerts: { email: false } });
    let now = Date.now();
    await notify(workspace, {}, now);
    for (const wait of waits) {
      expect(await sendDue(workspace, system, now)).toBe(1);
      expect(await sendDue(workspace, system, now + wait - 1)).toBe(0);
      now += wait;
    }
    expect(await sendDue(workspace, system, now)).toBe(1);
    expect((await posts()).length).toBe(5);
    expect(await waiting(workspace)).toEqual([]);
  });

  it.each([301, 404, 410])("that gets %d is not repeated, and follows no redirect", async (status) => {
    const workspace = await aWorkspace();
    const { posts, canary } = await aSlackWebhook(workspace, status);
    await notify(workspace);
    await sendDue(workspace, system);
    expect((await posts()).length).toBe(1);
    expect(await canary()).toEqual([]);
    expect(await waiting(workspace)).toEqual([]);
  });

  it.runIf(env.TEST_LONG)("that gets no response ends after ten seconds, and is repeated", async () => {
    const workspace = await aWorkspace();
    await aSlackWebhook(workspace, "hang");
    await notify(workspace);
    const begun = Date.now();
    const timeouts = vi.spyOn(AbortSignal, "timeout");
    await sendDue(workspace, system, begun);
    expect(timeouts.mock.calls).toEqual([[10_000]]);
    timeouts.mockRestore();
    expect(await waiting(workspace)).toEqual([expect.objectContaining({ dueAt: begun + 60_000 })]);
  });

  it("is not made without a URL, nor when it was removed meanwhile", async () => {
    const workspace = await aWorkspace();
    await put(workspace, { alerts: { email: false } });
    await notify(workspace);
    expect(await waiting(workspace)).toEqual([]);
    const { posts } = await aSlackWebhook(workspace);
    await notify(workspace);
    await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { settings: { slack_webhook_url: null } });
    expect(await sendDue(workspace, system)).toBe(1);
    expect([await posts(), await waiting(workspace)]).toEqual([[], []]);
  });
});
