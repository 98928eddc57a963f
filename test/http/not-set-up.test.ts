import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { forgetErasedKey } from "../../src/platform/erased-addresses/key.ts";
import { loadKeyAgain } from "../support/erased-key.ts";
import { aMail, apiOn, aWorkspace } from "../support/workspace.ts";

const HTML = { Accept: "text/html,*/*;q=0.8" };
const HINT = "Run npm start, which sets up everything, or follow the steps in .dev.vars.example.";

/** A database without tables, as D1 reports it. */
const empty = { prepare: () => empty, bind: () => empty, batch: lacks, all: lacks, first: lacks, run: lacks };
async function lacks() {
  throw new Error("D1_ERROR: no such table: service_keys: SQLITE_ERROR");
}

// A new isolate has not read the key.
beforeEach(forgetErasedKey);
afterAll(loadKeyAgain);

async function errorOf(response: Response): Promise<string> {
  expect(response.status).toBe(503);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  return (await response.json<{ detail: string }>()).detail;
}

describe("a service that is not set up", () => {
  it.each([
    [{ MASTER_KEYS: undefined }, "MASTER_KEYS: missing"],
    [{ MASTER_KEYS: "1:hunter2" }, "MASTER_KEYS: MASTER_KEYS must be <version>:<base64 of 32 bytes>"],
    [{ GATEWAY_SECRET: "hunter2" }, "GATEWAY_SECRET: GATEWAY_SECRET must have at least 32 characters"],
    [
      { MASTER_KEYS: undefined, RETENTION_DAYS: "hunter2" },
      "RETENTION_DAYS: Invalid input: expected number, received NaN. MASTER_KEYS: missing.",
    ],
    [{ DB: undefined }, "DB: missing"],
    [{ DB: empty }, "Databases: migrations are not applied."],
    [{ MAIL_0: empty, MAIL_1: empty }, "Databases: migrations are not applied."],
  ])(
    "responds to calls of the API with a 503 that names what is missing, and no value: %#",
    async (bindings, issue) => {
      const workspace = await aWorkspace();
      forgetErasedKey();
      const detail = await errorOf(await apiOn(bindings, workspace.apiKey).post("/v1/emails/", aMail(workspace)));
      expect(detail).toContain(`The service is not set up. ${issue}`);
      expect(detail).toContain(HINT);
      expect(detail).not.toMatch(/hunter2|service_keys/);
      const deployed = apiOn({ ...bindings, ENVIRONMENT: "production" }, workspace.apiKey);
      const inProduction = await errorOf(await deployed.post("/v1/emails/", aMail(workspace)));
      expect(inProduction).toContain(issue);
      expect(inProduction).not.toContain("npm start");
    },
  );

  it.each(["/", "/app", "/app/emails", "/mail", "/docs", "/no-page"])(
    "responds to a browser at %s with a page that says the same",
    async (path) => {
      for (const [bindings, issue] of [
        [{ MASTER_KEYS: undefined }, "MASTER_KEYS: missing"],
        [{ DB: empty }, "Databases: migrations are not applied"],
      ] as const) {
        const response = await apiOn(bindings, null).get(path, HTML);
        const page = await response.text();
        expect([response.status, response.headers.get("Content-Type")]).toEqual([503, "text/html; charset=UTF-8"]);
        expect(page).toContain("<h1>The service is not set up</h1>");
        expect(page).toContain(issue);
        expect(page).toContain(HINT);
      }
    },
  );

  it("responds as ever to what tells its state, and describes itself", async () => {
    for (const [bindings, reason] of [
      [{ MASTER_KEYS: undefined }, "MASTER_KEYS: missing"],
      [{ DB: empty }, "database main: migrations are not applied"],
    ] as const) {
      const api = apiOn(bindings, null);
      expect((await api.get("/health")).status).toBe(200);
      expect((await api.get("/openapi.json")).status).toBe(200);
      const state = await (await api.get("/ready")).json<{ reasons: string[] }>();
      expect(state).toMatchObject({ status: "not_ready", reasons: expect.arrayContaining([reason]) });
    }
  });
});
