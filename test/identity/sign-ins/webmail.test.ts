import { beforeEach, describe, expect, it } from "vitest";
import { authenticateMailboxCaller } from "../../../src/access/mailbox-sessions/caller.ts";
import { hashPassword, isPassword } from "../../../src/access/mailbox-sessions/password.ts";
import { refreshMailboxSession } from "../../../src/access/mailbox-sessions/sessions.ts";
import { GRACE_MS } from "../../../src/access/tokens/rules.ts";
import { mailboxPasswordLimits } from "../../../src/identity/sign-ins/index.ts";
import { countFailure } from "../../../src/platform/rate-limits/exact.ts";
import { database } from "../../support/databases.ts";
import { randomIp } from "../../support/sign-ins.ts";
import { apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_at: string;
  mailbox_id: string;
}

const PASSWORD = "correct horse battery staple";
const api = apiWith(null);
const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await setPassword(PASSWORD);
});

async function setPassword(password: string): Promise<void> {
  const response = await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
  expect(response.status).toBe(200);
}

const login = (password = PASSWORD, ip = randomIp(), email = workspace.mailbox) =>
  api.post("/v1/webmail/login", { email, password }, { "CF-Connecting-IP": ip });
const signIn = async () => (await login()).json<Tokens>();
const isValid = (token: string) =>
  authenticateMailboxCaller(testContext(), token).then(
    () => true,
    () => false,
  );

describe("POST /v1/webmail/login", () => {
  it("returns tokens for the right password, in any letter case of the address", async () => {
    const before = Date.now();
    const response = await login(PASSWORD, randomIp(), workspace.mailbox.toUpperCase());
    expect(response.status).toBe(200);
    const tokens = await response.json<Tokens>();
    expect(tokens.mailbox_id).toBe(workspace.mailboxId);
    // In whole seconds, between the ends of the call.
    const issuedAt = Date.parse(tokens.expires_at) - 3_600_000;
    expect(issuedAt).toBeGreaterThan(before - 1_000);
    expect(issuedAt).toBeLessThan(Date.now() + 1_000);
    const { actor } = await authenticateMailboxCaller(testContext(), tokens.access_token);
    expect(actor.mailboxId).toBe(workspace.mailboxId);
    expect((await apiWith(tokens.access_token).get("/v1/me")).status).toBe(401);
  });

  it("returns a wrong password, an unknown mailbox and an inactive one alike", async () => {
    const responses = [await login("wrong password"), await login(PASSWORD, randomIp(), `unknown@${workspace.domain}`)];
    responses.push(await login(PASSWORD, randomIp(), "no address"));
    await database.run("UPDATE mailboxes SET is_active = 0 WHERE id = ?1", [workspace.mailboxId]);
    responses.push(await login());
    const texts = await Promise.all(responses.map(async (result) => `${result.status} ${await result.text()}`));
    expect(new Set(texts)).toEqual(new Set(['401 {"detail":"The address or the password is wrong"}']));
  });

  it("allows 10 wrong passwords from one network in 15 minutes, and other networks go on", async () => {
    const ip = randomIp();
    const responses = await Promise.all(Array.from({ length: 13 }, () => login("wrong password", ip)));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429, 429]);
    expect((await login(PASSWORD, ip)).status).toBe(429);
    expect((await login(PASSWORD)).status).toBe(200);
  });

  it("beyond 100 wrong passwords asks only the networks of an earlier success, each with its own limit", async () => {
    const home = randomIp();
    expect((await login(PASSWORD, home)).status).toBe(200);
    const guesses = Array.from({ length: 100 }, (_, n) => mailboxPasswordLimits(workspace.mailbox, `198.18.${n}.1`));
    await Promise.all(guesses.map((limits) => countFailure(testContext(), limits)));
    expect((await login()).status).toBe(429);
    for (let n = 0; n < 3; n++) expect((await login(PASSWORD, home)).status).toBe(200);
    for (let n = 0; n < 10; n++) expect((await login("wrong password", home)).status).toBe(401);
    expect((await login(PASSWORD, home)).status).toBe(429);
  });

  it("does not count the right password as a failure", async () => {
    const ip = randomIp();
    for (let n = 0; n < 12; n++) expect((await login(PASSWORD, ip)).status).toBe(200);
  });
});

describe("a mailbox session", () => {
  it("ends with a new password, its logout, the deactivation and the deletion of the mailbox", async () => {
    const endings = [
      () => setPassword("another long password"),
      (tokens: Tokens) => api.post("/v1/webmail/logout", { refresh_token: tokens.refresh_token }),
      () => workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active: false }),
    ];
    for (const end of endings) {
      await setPassword(PASSWORD);
      const tokens = await signIn();
      expect(await isValid(tokens.access_token)).toBe(true);
      await end(tokens);
      expect(await isValid(tokens.access_token)).toBe(false);
      const refreshed = await api.post("/v1/webmail/refresh", { refresh_token: tokens.refresh_token });
      expect(refreshed.status).toBe(401);
    }
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active: true });
    const { access_token } = await signIn();
    expect((await workspace.call("DELETE", `/v1/mailboxes/${workspace.mailboxId}`)).status).toBe(204);
    expect(await isValid(access_token)).toBe(false);
  });

  it("rotates its refresh token: one successor within 30 s, revocation after that", async () => {
    const { refresh_token } = await signIn();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => api.post("/v1/webmail/refresh", { refresh_token })),
    );
    const tokens = await Promise.all(responses.map((result) => result.json<Tokens>()));
    expect(new Set(tokens.map((token) => token.refresh_token)).size).toBe(1);
    const late = testContext({}, () => Date.now() + GRACE_MS);
    await expect(refreshMailboxSession(late, refresh_token)).rejects.toMatchObject({ status: 401 });
    expect(await isValid(tokens[0]?.access_token ?? "")).toBe(false);
  });
});

describe("mailbox passwords", () => {
  it("are stored as scrypt hashes with their own salt, and compared in full", async () => {
    const [first, second] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)];
    expect(first).not.toBe(second);
    expect(first).not.toContain(PASSWORD);
    expect(await isPassword(PASSWORD, first)).toBe(true);
    expect(await isPassword(`${PASSWORD} `, first)).toBe(false);
    expect(await isPassword(PASSWORD, null)).toBe(false);
    expect(await isPassword("", null)).toBe(false);
  });
});
