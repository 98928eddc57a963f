import { describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { apiOn, aWorkspace, perSuite } from "../../support/workspace.ts";
import { submit } from "./support.ts";

const workspace = perSuite(aWorkspace);
const session = perSuite(() => aSession(workspace));

const setAdmin = (isAdmin: 0 | 1) =>
  database.run("UPDATE users SET is_platform_admin = ?2 WHERE id = ?1", [workspace.userId, isAdmin]);

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
