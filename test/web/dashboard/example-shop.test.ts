import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { apiOn, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { submit } from "./support.ts";

let workspace: TestWorkspace;
let session: Awaited<ReturnType<typeof aSession>>;

beforeAll(async () => {
  workspace = await aWorkspace();
  session = await aSession(workspace);
});

const setAdmin = (isAdmin: 0 | 1) =>
  env.DB.prepare("UPDATE users SET is_platform_admin = ?2 WHERE id = ?1").bind(workspace.userId, isAdmin).run();

describe("the example shop of the local service", () => {
  it("is not on Home of a deployment, where it cannot be filled", async () => {
    await setAdmin(1);
    expect(await (await session.get("/app")).text()).not.toContain("example shop");
    expect((await submit(session, "/app/example", { method: "POST" })).status).toBe(404);
  });

  it("is not for users who do not administer the service", async () => {
    await setAdmin(0);
    // Nothing listens there: a call would fail.
    const local = apiOn({ EXAMPLE_URL: "http://127.0.0.1:9/dev/example" }, null);
    const headers = { Cookie: `session=${session.tokens.accessToken}` };
    expect((await local.get("/app", headers)).status).toBe(200);
    await setAdmin(1);
    expect((await local.get("/app", headers)).status).toBe(500);
  });
});
