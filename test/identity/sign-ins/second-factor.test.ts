import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMagicLink } from "../../../src/identity/sign-ins/magic-links/index.ts";
import { matchTotp, STEP_MS, totpCode } from "../../../src/identity/sign-ins/second-factor/totp-code.ts";
import { toBase32 } from "../../../src/platform/mail-tokens/base32.ts";
import { fromBase32 } from "../../support/base32.ts";
import { database } from "../../support/databases.ts";
import { aSession, outdateProof } from "../../support/sessions.ts";
import { aMagicLink, browser, codeOf } from "../../support/sign-ins.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

let workspace: TestWorkspace;
let email: string;
let session: Awaited<ReturnType<typeof aSession>>;

// The clock stands still in the middle of a time step, so that no code expires during a test.
beforeEach(async () => {
  vi.useFakeTimers({ now: Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2, toFake: ["Date"] });
  workspace = await aWorkspace();
  email = `owner@${workspace.domain}`;
  session = await aSession(workspace);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Turns TOTP on with the code before the current one, so that the current one is still unused. */
async function turnOn() {
  const { secret } = await (await session.post("/v1/auth/totp/setup", undefined)).json<{ secret: string }>();
  const enabled = await session.post("/v1/auth/totp/enable", { code: await codeOf(secret, -1) });
  expect(enabled.status).toBe(200);
  return { secret, ...(await enabled.json<{ recovery_codes: string[] }>()) };
}

/** Returns a browser whose sign-in waits for the second factor. */
async function waiting() {
  const page = browser();
  const response = await page.post(await aMagicLink(email));
  expect([response.status, response.headers.get("Location")]).toEqual([303, "/auth/totp"]);
  expect(page.jar.session).toBeUndefined();
  return page;
}

/** Enters a code fifty times at once in two pending sign-ins, from networks that have no failures yet. */
async function useFiftyTimes(code: string) {
  const pages = [await waiting(), await waiting()];
  const ipOf = (n: number) => ({ "CF-Connecting-IP": `10.99.${n}.1` });
  return Promise.all(Array.from({ length: 50 }, (_, n) => pages[n % 2]?.post("/auth/totp", { code }, ipOf(n))));
}

describe("a user whose last workspace was deleted", () => {
  it.each([
    ["a link of the operator", "operator", {}],
    ["a link by email where sign-up is open", "magic_link", { SIGN_UP: "open" }],
  ] as const)("gets in by %s, with a second factor and a new workspace", async (_, method, settings) => {
    const { secret } = await turnOn();
    await database.run("UPDATE workspaces SET deleted_at = 1 WHERE id = ?1", [workspace.workspaceId]);
    const page = browser(settings);
    const link = await createMagicLink(testContext(), { email, next: "/app", method });
    expect((await page.post(new URL(link).pathname)).headers.get("Location")).toBe("/auth/totp");
    expect((await page.post("/auth/totp", { code: await codeOf(secret) })).headers.get("Location")).toBe("/app");
    expect((await page.get("/app")).status).toBe(200);
    const entries = await env.DB.prepare(
      "SELECT a.action FROM audit_log a JOIN memberships m ON m.workspace = a.workspace WHERE m.user_id = ?1 AND a.action = 'workspace.created'",
    )
      .bind(workspace.userId)
      .all();
    expect(entries.results.length).toBeGreaterThan(0);
  });
});

describe("TOTP codes", () => {
  it("are those of RFC 6238, appendix B", async () => {
    const secret = new TextEncoder().encode("12345678901234567890") as Uint8Array<ArrayBuffer>;
    const vectors: [number, string][] = [
      [59, "287082"],
      [1111111109, "081804"],
      [1111111111, "050471"],
      [1234567890, "005924"],
      [2000000000, "279037"],
      [20000000000, "353130"],
    ];
    for (const [seconds, code] of vectors) expect(await totpCode(secret, Math.floor(seconds / 30))).toBe(code);
    expect(toBase32(secret)).toBe("gezdgnbvgy3tqojqgezdgnbvgy3tqojq");
    expect(fromBase32(toBase32(secret).toUpperCase())).toEqual(secret);
  });

  it("are accepted one step early and late, never again, and no other", async () => {
    const secret = crypto.getRandomValues(new Uint8Array(20));
    const now = 1_800_000_000_000;
    const step = now / STEP_MS;
    const match = async (offset: number, lastStep = 0) =>
      matchTotp(secret, await totpCode(secret, step + offset), { now, lastStep });
    for (const offset of [-1, 0, 1]) expect(await match(offset)).toBe(step + offset);
    for (const offset of [-2, 2, -100]) expect(await match(offset)).toBeNull();
    expect(await match(0, step)).toBeNull();
    expect(await match(-1, step)).toBeNull();
    for (const code of ["", "12345", "1234567", "abcdef", "１２３４５６"])
      expect(await matchTotp(secret, code, { now, lastStep: 0 })).toBeNull();
  });
});

describe("a sign-in with TOTP on", () => {
  it("waits for a code and then starts the session", async () => {
    const { secret } = await turnOn();
    const page = await waiting();
    expect(await (await page.get("/auth/totp")).text()).toContain("Two-factor authentication");
    const wrong = await page.post("/auth/totp", { code: "000000" });
    expect(wrong.status).toBe(422);
    const done = await page.post("/auth/totp", { code: await codeOf(secret) });
    expect([done.status, done.headers.get("Location")]).toEqual([303, "/app"]);
    expect((await page.get("/app")).status).toBe(200);
  });

  it("accepts a code once of fifty parallel uses, by any number of sign-ins", async () => {
    const { secret } = await turnOn();
    const code = await codeOf(secret);
    const responses = await useFiftyTimes(code);
    expect(responses.filter((result) => result?.headers.get("Location") === "/app")).toHaveLength(1);
    expect(await database.value("SELECT count(*) AS n FROM sessions WHERE user_id = ?1", [workspace.userId])).toBe(2);
  });

  it("accepts a recovery code once of fifty parallel uses", async () => {
    const { recovery_codes: codes } = await turnOn();
    const responses = await useFiftyTimes(codes[0] ?? "");
    expect(responses.filter((result) => result?.headers.get("Location") === "/app")).toHaveLength(1);
    const left = env.DB.prepare("SELECT count(*) AS n FROM recovery_codes WHERE user_id = ?1").bind(workspace.userId);
    expect(await left.first("n")).toBe(9);
  });

  it("accepts each recovery code once", async () => {
    const { recovery_codes: codes } = await turnOn();
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    const [first = "", second = ""] = codes;
    expect(
      (await (await waiting()).post("/auth/totp", { code: first.toLowerCase().replaceAll("-", " ") })).status,
    ).toBe(303);
    expect((await (await waiting()).post("/auth/totp", { code: first })).status).toBe(422);
    expect((await (await waiting()).post("/auth/totp", { code: second })).status).toBe(303);
  });

  it("allows 10 wrong codes from one network in 15 minutes, and other networks go on", async () => {
    const { secret } = await turnOn();
    const page = await waiting();
    const responses = await Promise.all(Array.from({ length: 14 }, () => page.post("/auth/totp", { code: "000000" })));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(10).fill(422), ...Array(4).fill(429)]);
    expect((await page.post("/auth/totp", { code: await codeOf(secret) })).status).toBe(429);
    expect((await (await waiting()).post("/auth/totp", { code: await codeOf(secret) })).status).toBe(303);
  });

  it("starts again without a pending sign-in", async () => {
    for (const jar of [{}, { second_factor: "unknown" }]) {
      const page = browser();
      Object.assign(page.jar, jar);
      const response = await page.post("/auth/totp", { code: "000000" });
      expect([response.status, response.headers.get("Location")]).toEqual([303, "/auth/sign-in"]);
    }
  });
});

describe("TOTP settings", () => {
  it("store the secret encrypted and the recovery codes hashed", async () => {
    const { secret, recovery_codes: codes } = await turnOn();
    const rows = await env.DB.batch([
      env.DB.prepare("SELECT * FROM user_totp WHERE user_id = ?1").bind(workspace.userId),
      env.DB.prepare("SELECT * FROM recovery_codes WHERE user_id = ?1").bind(workspace.userId),
    ]);
    const text = JSON.stringify(rows.map(({ results }) => results));
    expect(rows[1]?.results).toHaveLength(10);
    for (const clear of [secret, ...codes, ...codes.map((code) => code.replaceAll("-", ""))])
      expect(text).not.toContain(clear);
  });

  it("cannot be replaced while TOTP is on, and are turned off by a code only", async () => {
    const { secret } = await turnOn();
    expect((await session.post("/v1/auth/totp/setup", undefined)).status).toBe(409);
    expect((await session.post("/v1/auth/totp/enable", { code: await codeOf(secret) })).status).toBe(409);
    expect((await session.post("/v1/auth/totp/disable", { code: "000000" })).status).toBe(403);
    expect((await session.post("/v1/auth/totp/disable", { code: await codeOf(secret) })).status).toBe(200);
    expect((await session.post("/v1/auth/totp/disable", { code: await codeOf(secret) })).status).toBe(409);
    expect((await (await browser()).post(await aMagicLink(email))).headers.get("Location")).toBe("/app");
  });

  it("have no effect until a code confirms them", async () => {
    await session.post("/v1/auth/totp/setup", undefined);
    expect((await session.post("/v1/auth/totp/enable", { code: "000000" })).status).toBe(403);
    expect((await browser().post(await aMagicLink(email))).headers.get("Location")).toBe("/app");
  });
});

describe("POST /v1/auth/reauth", () => {
  const stamp = async () =>
    (await (await session.get("/v1/me")).json<{ authentication: { reauthenticated_at: string | null } }>())
      .authentication.reauthenticated_at;
  const tokenOf = (path: string) => path.split("/").at(-1) ?? "";

  it("stamps the session for a fresh sign-in link of the account, once", async () => {
    const token = tokenOf(await aMagicLink(email));
    await outdateProof(workspace);
    const before = Date.now();
    expect((await session.post("/v1/auth/reauth", { token })).status).toBe(200);
    const stampedAt = Date.parse((await stamp()) ?? "");
    expect(stampedAt).toBeGreaterThanOrEqual(before);
    expect(stampedAt).toBeLessThanOrEqual(Date.now());
    expect((await session.post("/v1/auth/reauth", { token })).status).toBe(403);
  });

  it("accepts a link once of fifty parallel uses, also those that sign in by it", async () => {
    const path = await aMagicLink(email);
    const uses = Array.from({ length: 50 }, (_, n) =>
      n % 2 === 0 ? session.post("/v1/auth/reauth", { token: tokenOf(path) }) : browser().post(path),
    );
    const responses = await Promise.all(uses);
    expect(responses.filter(({ status }) => status === 200 || status === 303)).toHaveLength(1);
  });

  it("refuses the link of another account, a wrong code, and with TOTP on a link", async () => {
    const before = await stamp();
    const foreign = tokenOf(await aMagicLink(`other@${workspace.domain}`));
    expect((await session.post("/v1/auth/reauth", { token: foreign })).status).toBe(403);
    expect((await session.post("/v1/auth/reauth", { code: "000000" })).status).toBe(403);
    for (const body of [{}, { code: "1", token: "2" }])
      expect((await session.post("/v1/auth/reauth", body)).status).toBe(422);
    const { secret } = await turnOn();
    const token = tokenOf(await aMagicLink(email));
    expect((await session.post("/v1/auth/reauth", { token })).status).toBe(403);
    expect(await stamp()).toBe(before);
    expect((await session.post("/v1/auth/reauth", { code: await codeOf(secret) })).status).toBe(200);
  });
});
