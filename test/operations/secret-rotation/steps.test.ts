import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { refreshSession } from "../../../src/access/sessions/refresh.ts";
import { createMagicLink } from "../../../src/identity/sign-ins/index.ts";
import { open, seal } from "../../../src/lib/secret-box.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { aCode, anAccessToken } from "../../support/oauth.ts";
import { aSession } from "../../support/sessions.ts";
import { apiOn, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

/**
 * MASTER_KEYS in the steps of a rotation (docs/operating/secrets.md). While a step is deployed, some isolates still have the value
 * of the step before: what one of them issues, the other must accept.
 */
const OLD = (env as unknown as Record<string, string>).MASTER_KEYS ?? "";
const NEW = `2:${btoa("s".repeat(32))}`;
const steps = { before: OLD, added: `${NEW},${OLD}`, used: `${OLD},${NEW}` } as const;
type Step = keyof typeof steps;

const ctxOf = (step: Step): Ctx => testContext({ MASTER_KEYS: steps[step] });
const apiOf = (step: Step, key: string | null = null) => apiOn({ MASTER_KEYS: steps[step] }, key);

const workspace = perSuite(aWorkspace);

/** Each credential: how an isolate of a step issues it, and whether one of another step accepts it. */
const credentials: Record<
  string,
  { issue(step: Step): Promise<string>; accepts(step: Step, it: string): Promise<boolean> }
> = {
  "an API key": {
    issue: async (step) =>
      (await (await apiOf(step, workspace.apiKey).post("/v1/api-keys/", { name: "New" })).json<{ key: string }>()).key,
    accepts: async (step, key) => (await apiOf(step, key).get("/v1/me")).status === 200,
  },
  "an API key whose hash was replaced at its use": {
    async issue(step) {
      expect((await apiOf(step, workspace.apiKey).get("/v1/me")).status).toBe(200);
      return workspace.apiKey;
    },
    accepts: async (step, key) => (await apiOf(step, key).get("/v1/me")).status === 200,
  },
  "the access token of a session": {
    issue: async (step) => (await aSession(workspace, { ctx: ctxOf(step) })).tokens.accessToken,
    accepts: async (step, token) => (await apiOf(step).get("/v1/me", { Cookie: `session=${token}` })).status === 200,
  },
  "the refresh token of a session": {
    issue: async (step) => (await aSession(workspace, { ctx: ctxOf(step) })).tokens.refreshToken,
    accepts: async (step, token) => (await refreshSession(ctxOf(step), token)) !== null,
  },
  "a sign-in link": {
    issue: async (step) => {
      const email = `owner@${workspace.domain}`;
      return new URL(await createMagicLink(ctxOf(step), { email, next: "/app" })).pathname;
    },
    accepts: async (step, path) => (await apiOf(step).call("POST", path)).status === 303,
  },
  "an OAuth access token": {
    issue: (step) => anAccessToken(workspace, undefined, { ctx: ctxOf(step) }),
    accepts: async (step, token) => (await apiOf(step, token).get("/v1/me")).status === 200,
  },
  "an OAuth code": {
    issue: async (step) => `${new URLSearchParams((await aCode(workspace, { ctx: ctxOf(step) })).fields)}`,
    accepts: async (step, form) => {
      const type = { "Content-Type": "application/x-www-form-urlencoded" };
      return (await apiOf(step).call("POST", "/oauth/token", form, type)).status === 200;
    },
  },
  "an encrypted secret": {
    issue: (step) => seal(ctxOf(step).settings.masterKeys, "test", "1", new Uint8Array([1])),
    accepts: (step, sealed) =>
      open(ctxOf(step).settings.masterKeys, "test", "1", sealed).then(
        () => true,
        () => false,
      ),
  },
};

const neighbours = [
  ["before", "added"],
  ["added", "before"],
  ["added", "used"],
  ["used", "added"],
] as const;

for (const [name, { issue, accepts }] of Object.entries(credentials)) {
  describe(`during a rotation, ${name}`, () => {
    for (const [by, at] of neighbours) {
      it(`issued where the new key is "${by}" is accepted where it is "${at}"`, async () => {
        expect(await accepts(at, await issue(by))).toBe(true);
      });
    }

    it("would be refused without the step that only adds the key", async () => {
      expect(await accepts("before", await issue("used"))).toBe(false);
      // The key of the workspace again has the hash of the old master key.
      await apiOf("added", workspace.apiKey).get("/v1/me");
    });
  });
}
