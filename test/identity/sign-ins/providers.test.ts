import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { browser, codeOf, systemEmails } from "../../support/sign-ins.ts";
import { aSystemWorkspace } from "../../support/transfers.ts";
import { apiWith, aWorkspace, perSuite, until } from "../../support/workspace.ts";
import { submit } from "../../web/dashboard/support.ts";

/** Signing in at the stand-in of test/support/provider-server.ts, in place of Google and GitHub. */

const provider = `http://127.0.0.1:${env.TEST_SERVERS.provider}`;
const settings = {
  GOOGLE_CLIENT_ID: "stand-in client",
  GOOGLE_CLIENT_SECRET: "stand-in secret",
  GOOGLE_AUTHORIZE_URL: `${provider}/authorize`,
  GOOGLE_TOKEN_URL: `${provider}/token`,
  GITHUB_CLIENT_ID: "stand-in client",
  GITHUB_CLIENT_SECRET: "stand-in secret",
  GITHUB_AUTHORIZE_URL: `${provider}/authorize`,
  GITHUB_TOKEN_URL: `${provider}/token`,
  GITHUB_API_URL: provider,
};

interface Account {
  id: number;
  email: string;
  verified: boolean;
  name?: string;
  claims?: Record<string, unknown>;
}

const randomAccountId = () => Math.floor(Math.random() * 1e9);
const crossSite = { "Sec-Fetch-Site": "cross-site" };

/** Goes to the provider and signs in there. Returns the path that the provider sends the visitor back to. */
async function visitProvider(page: ReturnType<typeof browser>, name: string, account: Account): Promise<string> {
  const begun = await page.get(`/auth/${name}?next=/app?from=provider`);
  expect(begun.status).toBe(303);
  const url = new URL(begun.headers.get("Location") ?? "");
  url.searchParams.set("profile", JSON.stringify(account));
  const back = new URL((await fetch(url, { redirect: "manual" })).headers.get("Location") ?? "");
  return back.pathname + back.search;
}

async function signIn(name: string, account: Account, changes: Record<string, unknown> = {}) {
  const page = browser({ ...settings, ...changes });
  const path = await visitProvider(page, name, account);
  return { page, path, response: await page.get(path, crossSite) };
}

const system = perSuite(aSystemWorkspace);
type Session = Awaited<ReturnType<typeof aSession>>;
/** Returns whether the security page of a user lists an account. */
const isLinkedTo = async (session: Session, { id }: Account) =>
  (await (await session.get("/app/security")).text()).includes(`/${id}/unlink`);

for (const name of ["google", "github"]) {
  describe(`signing in with ${name}`, () => {
    it("signs in the user of a verified address, and later the linked user whatever the address is then", async () => {
      const workspace = await aWorkspace();
      const account = { id: randomAccountId(), email: `owner@${workspace.domain}`, verified: true };
      const { page, response } = await signIn(name, account);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('content="0;url=/app?from=provider"');
      const me = await apiWith(null).get("/v1/me", { Cookie: `session=${page.jar.session}` });
      expect(await me.json()).toMatchObject({ user: { id: workspace.userId } });
      const again = await signIn(name, { ...account, email: "elsewhere@example.org", verified: false });
      const later = await apiWith(null).get("/v1/me", { Cookie: `session=${again.page.jar.session}` });
      expect(await later.json()).toMatchObject({ user: { id: workspace.userId } });
    });

    it("refuses an address that the provider has not verified", async () => {
      const workspace = await aWorkspace();
      const account = { id: randomAccountId(), email: `owner@${workspace.domain}`, verified: false };
      for (const SIGN_UP of ["invited", "open"]) {
        const { page, response } = await signIn(name, account, { SIGN_UP });
        expect(response.status).toBe(403);
        expect(await response.text()).toContain("has no verified email address. Verify your address there");
        expect(page.jar.session).toBeUndefined();
      }
    });

    it("creates an account where sign-up is open, and none where it is not", async () => {
      const account = {
        id: randomAccountId(),
        email: `${crypto.randomUUID()}@example.org`,
        verified: true,
        name: "Ada",
      };
      expect((await signIn(name, account)).response.status).toBe(403);
      const { page } = await signIn(name, account, { SIGN_UP: "open" });
      const me = await apiWith(null).get("/v1/me", { Cookie: `session=${page.jar.session}` });
      expect(await me.json()).toMatchObject({ user: { email: account.email, name: "Ada" }, role: "owner" });
    });

    it("stores a name without control characters, of at most 100 characters, whatever the provider says", async () => {
      for (const [given, stored] of [
        ["Ada\r\nBcc: eve@example.org", "Ada Bcc: eve@example.org"],
        ["\u0000\u202e\u200b", null],
        ["x".repeat(5_000), "x".repeat(100)],
      ] as const) {
        const account = {
          id: randomAccountId(),
          email: `${crypto.randomUUID()}@example.org`,
          verified: true,
          name: given,
        };
        const { page } = await signIn(name, account, { SIGN_UP: "open" });
        const me = await (await apiWith(null).get("/v1/me", { Cookie: `session=${page.jar.session}` })).json<{
          user: { name: string | null };
          workspace: { name: string };
        }>();
        expect(me.user.name).toBe(stored);
        expect(me.workspace.name).toBe(stored ?? account.email.split("@")[0]);
      }
    });

    it("refuses a return without its own state: none, another one, and one of another browser or provider", async () => {
      const workspace = await aWorkspace();
      const account = { id: randomAccountId(), email: `owner@${workspace.domain}`, verified: true };
      const page = browser(settings);
      const path = await visitProvider(page, name, account);
      const { provider: cookie = "" } = page.jar;
      expect((await browser(settings).get(path, crossSite)).status).toBe(400);
      expect((await page.get(path.replace(/state=[^&]+/, "state=other"), crossSite)).status).toBe(400);
      page.jar.provider = cookie;
      const other = name === "google" ? "github" : "google";
      expect((await page.get(path.replace(`/auth/${name}/`, `/auth/${other}/`), crossSite)).status).toBe(400);
      page.jar.provider = cookie;
      expect((await page.get(path.replace(/code=[^&]+/, "error=access_denied"), crossSite)).status).toBe(400);
      page.jar.provider = cookie;
      expect((await page.get(path, crossSite)).status).toBe(200);
      page.jar.provider = cookie;
      expect((await page.get(path, crossSite)).status).toBe(502);
    });

    it("waits for the second factor of a user with TOTP, and links the account after it", async () => {
      const workspace = await aWorkspace();
      const session = await aSession(workspace);
      const { secret } = await session.create<{ secret: string }>("/v1/auth/totp/setup", undefined);
      await session.create("/v1/auth/totp/enable", { code: await codeOf(secret, -1) });
      const account = { id: randomAccountId(), email: `owner@${workspace.domain}`, verified: true };
      const { page, response } = await signIn(name, account);
      expect(await response.text()).toContain("url=/auth/totp");
      expect(page.jar.session).toBeUndefined();
      expect(page.jar.second_factor).toBeTruthy();
      expect(await isLinkedTo(session, account)).toBe(false);
      expect((await page.post("/auth/totp", { code: await codeOf(secret) })).headers.get("Location")).toBe(
        "/app?from=provider",
      );
      expect(await isLinkedTo(session, account)).toBe(true);
    });

    it("tells the user once by email that the account was linked, and none who is new", async () => {
      const newcomer = { id: randomAccountId(), email: `${crypto.randomUUID()}@example.org`, verified: true };
      await signIn(name, newcomer, { SIGN_UP: "open" });
      const workspace = await aWorkspace();
      const account = { id: randomAccountId(), email: `owner@${workspace.domain}`, verified: true };
      await signIn(name, account);
      await signIn(name, account);
      const mails = async () => (await systemEmails(system, 1)).filter((text) => text.includes("was used to sign in"));
      const ofUser = (texts: string[]) => texts.filter((text) => text.includes(account.email));
      const found = await until(mails, (texts) => ofUser(texts).length > 0);
      expect([ofUser(found).length, found.join().includes(newcomer.email)]).toEqual([1, false]);
    });

    it("lists the linked accounts to their user, who unlinks them, with an audit entry", async () => {
      const workspace = await aWorkspace();
      const [session, other] = [await aSession(workspace), await aSession(await aWorkspace())];
      const account = { id: randomAccountId(), email: `owner@${workspace.domain}`, verified: true };
      await signIn(name, account);
      const path = `/app/security/accounts/${name}/${account.id}/unlink`;
      expect(await isLinkedTo(session, account)).toBe(true);
      expect(await (await session.get("/app/security")).text()).toContain(`Unlink ${account.email} at`);
      expect(await isLinkedTo(other, account)).toBe(false);
      expect((await submit(other, path)).status).toBe(404);
      expect((await submit(session, path)).headers.get("Location")).toBe("/app/security?done=unlinked");
      expect((await submit(session, path)).status).toBe(404);
      expect(await isLinkedTo(session, account)).toBe(false);
      expect((await signIn(name, { ...account, verified: false })).response.status).toBe(403);
      const entries = await (await session.get("/v1/audit")).json<{ action: string; detail: object }[]>();
      expect(entries.find(({ action }) => action === "account.unlinked")).toMatchObject({ detail: { provider: name } });
    });

    it("keeps its state in a Lax cookie of this host, and sends the visitor with PKCE S256", async () => {
      const response = await browser(settings).get(`/auth/${name}`);
      const cookie = response.headers.getSetCookie().find((line) => line.startsWith("provider="));
      expect(cookie).toMatch(/Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
      const { searchParams } = new URL(response.headers.get("Location") ?? "");
      expect(searchParams.get("code_challenge_method")).toBe("S256");
      expect(searchParams.get("redirect_uri")).toMatch(new RegExp(`/auth/${name}/callback$`));
      for (const secret of ["state", "nonce", "code_challenge"])
        expect(cookie).not.toContain(searchParams.get(secret) ?? "missing");
    });
  });
}

it("an ID token with another issuer, nonce, audience or time is refused", async () => {
  const workspace = await aWorkspace();
  const account = { id: randomAccountId(), email: `owner@${workspace.domain}`, verified: true };
  for (const claims of [
    { iss: "https://accounts.example.com" },
    { iss: null },
    { nonce: "other" },
    { nonce: null },
    { aud: "another client" },
    { aud: ["stand-in client", "another client"] },
    { exp: 1 },
    { exp: null },
    { sub: 5 },
    { email_verified: "yes" },
  ]) {
    const { page, response } = await signIn("google", { ...account, claims });
    expect(response.status, JSON.stringify(claims)).toBe(502);
    expect(page.jar.session).toBeUndefined();
  }
});

it("a provider that does not respond is reported, and one that is not configured does not exist", async () => {
  const { response } = await signIn(
    "github",
    { id: 1, email: "a@example.org", verified: true },
    {
      GITHUB_TOKEN_URL: "http://127.0.0.1:1/token",
    },
  );
  expect(response.status).toBe(502);
  expect((await browser().get("/auth/google")).status).toBe(404);
  expect(await (await browser().get("/auth/sign-in")).text()).not.toContain("Continue with");
  expect(await (await browser(settings).get("/auth/sign-in")).text()).toContain("Continue with GitHub");
});
