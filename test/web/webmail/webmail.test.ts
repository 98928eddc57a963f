import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { browser } from "../../support/sign-ins.ts";
import { apiOn, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const password = "correct horse battery staple";

afterEach(() => void vi.useRealTimers());

const workspace = perTest(aWorkspace);
beforeEach(async () => {
  await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
});

const signIn = async (page = browser()) => {
  const response = await page.post("/mail/sign-in", { email: workspace.mailbox, password });
  expect([response.status, response.headers.get("Location")]).toEqual([303, "/mail"]);
  return { page, response };
};

/** Opens webmail and follows to the inbox. Returns its page. */
async function openInbox(page: ReturnType<typeof browser>): Promise<string> {
  const response = await page.get("/mail");
  expect([response.status, response.headers.get("Location")]).toEqual([303, `/mail/${workspace.mailboxId}/INBOX`]);
  return (await page.get(response.headers.get("Location") ?? "")).text();
}

describe("the cookies of a mailbox session", () => {
  it("go to pages below /mail only, over TLS only, and not to scripts or other sites", async () => {
    // A whole second, as the times in tokens are.
    vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(Date.now() / 1_000) * 1_000 });
    const { response } = await signIn();
    const lines = response.headers.getSetCookie();
    expect(lines.map((line) => line.split("=")[0])).toEqual(["mailbox", "mailbox_refresh"]);
    for (const line of lines) expect(line).toMatch(/; Path=\/mail; HttpOnly; Secure; SameSite=Strict$/);
    const ages = lines.map((line) => Number(/Max-Age=(\d+)/.exec(line)?.[1]));
    expect(ages).toEqual([3_600, 2_592_000]);
  });

  it("have the prefix of secure cookies where the service has TLS", async () => {
    const page = browser({ PUBLIC_URL: "https://mail.example" });
    await signIn(page);
    expect(Object.keys(page.jar)).toEqual(["__Secure-mailbox", "__Secure-mailbox_refresh"]);
    expect(await openInbox(page)).toContain(workspace.mailbox);
  });

  it("open nothing of the dashboard or the API, and the session of the dashboard is none of a mailbox", async () => {
    const { page } = await signIn();
    const { mailbox = "", mailbox_refresh: refresh = "" } = page.jar;
    const anonymous = apiWith(null);
    for (const cookie of [`mailbox=${mailbox}`, `session=${mailbox}`, `session=${mailbox}; refresh=${refresh}`]) {
      const headers = { Cookie: cookie, Origin: "http://api.test" };
      expect((await anonymous.get("/v1/me", headers)).status, cookie).toBe(401);
      expect((await anonymous.get("/app", headers)).headers.get("Location"), cookie).toBe("/auth/sign-in?next=%2Fapp");
      expect((await anonymous.post("/auth/refresh", undefined, headers)).status, cookie).toBe(401);
    }
    const { tokens } = await aSession(workspace);
    const cookie = `mailbox=${tokens.accessToken}; mailbox_refresh=${tokens.refreshToken}`;
    expect((await anonymous.get("/mail", { Cookie: cookie })).headers.get("Location")).toBe("/mail/sign-in");
  });

  it("are refreshed by a page when the access token has expired or is missing", async () => {
    const { page } = await signIn();
    const before = page.jar.mailbox_refresh;
    delete page.jar.mailbox;
    expect(await openInbox(page)).toContain(workspace.mailbox);
    expect(page.jar.mailbox).toBeDefined();
    expect(page.jar.mailbox_refresh).not.toBe(before);
  });

  it("end with a sign-out, a new password and the mailbox", async () => {
    const ends: Record<string, (page: ReturnType<typeof browser>) => Promise<unknown>> = {
      "sign-out": (page) => page.post("/mail/sign-out"),
      "new password": () =>
        workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password: `${password} 2` }),
      mailbox: () => workspace.call("DELETE", `/v1/mailboxes/${workspace.mailboxId}`),
    };
    for (const [what, end] of Object.entries(ends)) {
      await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
      const { page } = await signIn();
      const cookie = Object.entries(page.jar).map(([name, value]) => `${name}=${value}`);
      await end(page);
      const response = await apiWith(null).get("/mail", { Cookie: cookie.join("; ") });
      expect([response.status, response.headers.get("Location")], what).toEqual([303, "/mail/sign-in"]);
    }
  });
});

describe("the sign-in page of webmail", () => {
  it("returns a wrong password and an unknown mailbox alike, and keeps the address", async () => {
    const responses = [];
    for (const [email, wrong] of [
      [workspace.mailbox, "wrong password"],
      [`nobody@${workspace.domain}`, password],
    ] as const) {
      const response = await browser().post("/mail/sign-in", { email, password: wrong });
      const html = await response.text();
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(html).toContain(`value="${email}"`);
      expect(html).not.toContain(wrong);
      responses.push(`${response.status} ${html.replace(email, "")}`);
    }
    expect(responses[0]).toContain("422");
    expect(new Set(responses).size).toBe(1);
  });

  it("counts wrong passwords together with those of the API", async () => {
    const ip = "198.51.100.7";
    const page = browser({}, ip);
    const wrong = { email: workspace.mailbox, password: "wrong password" };
    for (let i = 0; i < 5; i++) {
      expect((await page.post("/mail/sign-in", wrong)).status).toBe(422);
      expect((await apiWith(null).post("/v1/webmail/login", wrong, { "CF-Connecting-IP": ip })).status).toBe(401);
    }
    const refused = await page.post("/mail/sign-in", { email: workspace.mailbox, password });
    expect([refused.status, refused.headers.has("Retry-After")]).toEqual([429, false]);
  });

  it("refuses forms of other sites, for the sign-in and the sign-out", async () => {
    const { page } = await signIn();
    const fields = { email: workspace.mailbox, password };
    for (const path of ["/mail/sign-in", "/mail/sign-out"])
      expect((await page.post(path, fields, { "Sec-Fetch-Site": "cross-site" })).status, path).toBe(403);
    expect((await page.get("/mail")).headers.get("Location")).toContain("/INBOX");
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await apiOn({}, null).call("POST", "/mail/sign-out", "", form)).status).toBe(403);
  });
});
