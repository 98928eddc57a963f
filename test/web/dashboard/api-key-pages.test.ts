import { describe, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const keyed = (fields: Record<string, string>) => ({ idempotency_key: crypto.randomUUID(), name: "Shop", ...fields });
const keyOf = async (response: Response) => /svc_k_\w{40}/.exec(await response.text())?.[0] ?? "";
const me = async (key: string) =>
  (await apiWith(key).get("/v1/me")).json<{ scopes: string[]; authentication: { domain_ids: string[] | null } }>();

describe("the access of a new API key", () => {
  it("is sending only, when nothing else is chosen", async () => {
    expect(await (await session.get("/app/api-keys")).text()).toMatch(/value="sending" checked/);
    const key = await keyOf(await submit(session, "/app/api-keys", keyed({ access: "sending", scope: "team:manage" })));
    expect((await me(key)).scopes).toEqual(["emails:send"]);
  });

  it("is everything with full access, and what is checked with custom access", async () => {
    const full = await keyOf(await submit(session, "/app/api-keys", keyed({ access: "full" })));
    expect((await me(full)).scopes).toContain("domains:manage");
    const custom = await keyOf(
      await submit(session, "/app/api-keys", keyed({ access: "custom", scope: "templates:view" })),
    );
    expect((await me(custom)).scopes).toEqual(["templates:view"]);
    const none = await submit(session, "/app/api-keys", keyed({ access: "custom" }));
    expect([none.status, await none.text()]).toEqual([422, expect.stringContaining("at least one permission")]);
  });

  it("is restricted to the chosen domains, and to no domain of another workspace", async () => {
    const key = await keyOf(
      await submit(session, "/app/api-keys", keyed({ access: "sending", domain: workspace.domainId })),
    );
    const listed = await (await workspace.get("/v1/api-keys/")).json<
      { prefix: string; domain_ids: string[] | null }[]
    >();
    expect(listed.find(({ prefix }) => key.startsWith(prefix))?.domain_ids).toEqual([workspace.domainId]);
    const other = await aWorkspace();
    expect((await submit(session, "/app/api-keys", keyed({ access: "full", domain: other.domainId }))).status).toBe(
      422,
    );
  });
});

describe("the rotation of an API key", () => {
  const idOf = async () => (await (await workspace.get("/v1/api-keys/")).json<{ id: string }[]>())[0]?.id ?? "";

  it("shows a successor once, however often its form is sent, while the old key still works", async () => {
    const old = await keyOf(await submit(session, "/app/api-keys", keyed({ access: "sending" })));
    const path = `/app/api-keys/${await idOf()}/rotate`;
    expect(await (await session.get("/app/api-keys")).text()).toContain(path);
    const form = { idempotency_key: crypto.randomUUID() };
    const [first, second] = [await submit(session, path, form), await submit(session, path, form)];
    const key = await keyOf(first);
    expect([await keyOf(second), (await me(key)).scopes, (await me(old)).scopes]).toEqual([
      key,
      ["emails:send"],
      ["emails:send"],
    ]);
    const again = await submit(session, path, { idempotency_key: crypto.randomUUID() });
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining("already rotated")]);
  });

  it("is refused for a colleague and for another workspace", async () => {
    await submit(session, "/app/api-keys", keyed({ access: "sending" }));
    const path = `/app/api-keys/${await idOf()}/rotate`;
    const colleague = await aSession({ ...workspace, userId: (await aMember(workspace, "admin")).userId });
    expect((await submit(colleague, path, { idempotency_key: crypto.randomUUID() })).status).toBe(403);
    expect(
      (await submit(await aSession(await aWorkspace()), path, { idempotency_key: crypto.randomUUID() })).status,
    ).toBe(404);
  });
});
