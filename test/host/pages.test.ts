import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import { STEP_MS, totpCode } from "../../src/identity/sign-ins/second-factor/totp-code.ts";
import { fromBase32 } from "../support/base32.ts";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { isFull } from "./support/extent.ts";
import {
  mainButtons,
  openSite,
  pressEnter,
  pressOn,
  type Site,
  startClient,
  titleOf,
  unfold,
} from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

const site = perSuite(() => openSite("pages.test"));

const CODE_OF = (secret: string) => totpCode(fromBase32(secret), Math.floor(Date.now() / STEP_MS));

describe.skipIf(chromiumUnavailable() !== null)("pages in Chromium", () => {
  /** Returns a page that records its problems, and a check that it has this title and no issue in any look. */
  async function visitor(cookies: Awaited<ReturnType<Site["signIn"]>> = []) {
    const { context, page, problems } = await site.open();
    await context.addCookies(cookies);
    const check = async (title: string) => {
      await expect.poll(() => titleOf(page)).toBe(title);
      expect(await findIssues(page), title).toEqual([]);
      if (page.url().includes("/app")) expect((await mainButtons(page)).length, title).toBeLessThanOrEqual(1);
      expect(problems, title).toEqual([]);
    };
    return { context, page, check };
  }

  it("for visitors who have filled in a form have no accessibility issue, console error, foreign request or sideways scroll", async () => {
    const { page, check } = await visitor();
    const visits: [string, string, ((page: Page) => Promise<unknown>)?][] = [
      ["/auth/sign-in", "Sign in", () => submit(page, { email: "a@b" })],
      ["/auth/sign-in", "Check your email", () => submit(page, { email: "grace@pages.test" })],
      ["/app", "Sign in"],
      ["/mail/sign-in", "Sign in to webmail", () => submit(page, { email: "hello@pages.test", password: "wrong" })],
      [await site.unsubscribeLink(), "You are unsubscribed", () => submit(page)],
    ];
    for (const [path, title, act] of visits) {
      await page.goto(path);
      await act?.(page);
      await check(title);
    }
  });

  it("of a signed-in user have none of these either", async () => {
    const cookies = await site.signIn();
    const { page, check } = await visitor(cookies);
    const refused = (await site.authorizePath("https://client.example/callback")).replace("callback", "other");
    const { mailboxId, mailbox } = site.workspace;
    const compose = `/mail/compose/${mailboxId}`;
    const visits: [string, string, ((page: Page) => Promise<unknown>)?][] = [
      [`/mail/${mailboxId}/Unknown`, "Not found"],
      [compose, `New message · ${mailbox}`, () => submit(page, { to: "no address", text: "Hello" }, [], "Send")],
      [compose, `Inbox · ${mailbox}`, () => submit(page, { to: "friend@example.org", text: "Hello" }, [], "Send")],
      [`/mail/${mailboxId}/Drafts/1`, `(no subject) · ${mailbox}`],
      ["/docs/try/sendEmail", "Try it: Send an email · API reference", () => submit(page)],
      ["/docs/try/sendEmail", "Try it: Send an email · API reference", () => submit(page, { body: "{" })],
      ["/app/api-keys", "API keys", () => createKey(page, "Without permissions", [])],
      ["/app/api-keys", "Your new API key", () => createKey(page, "Shop server", ["Send, schedule"])],
      ["/app/api-keys", "Revoke Shop server?", () => page.getByRole("link", { name: "Revoke Shop server" }).click()],
      ["/app/security/proof?proof=x", "Prove that it is you"],
      [
        "/app/security/delete",
        "Delete your account?",
        () => submit(page, { email: "no@example.org" }, [], "Delete account"),
      ],
      ["/app/security", "Set up two-factor authentication", () => page.getByRole("button", { name: "Set up" }).click()],
      ["/app/security/sessions/unknown/revoke", "Not found"],
      [refused, "This connection cannot be made"],
    ];
    for (const [path, title, act] of visits) {
      await page.goto(path);
      await act?.(page);
      await check(title);
    }
  });

  it.runIf(isFull)("of the dashboard have none of these when a form was sent or refused", async () => {
    const { page, check } = await visitor(await site.signIn());
    const { mailboxId } = site.workspace;
    const visits: [string, string, ((page: Page) => Promise<unknown>)?][] = [
      ["/app/emails/new", "New email", () => submit(page, { to: "nobody" })],
      ["/app/domains", "Domains", () => fill(page, "Add a domain", { name: "no domain" })],
      ["/app/suppressions", "Suppressions", () => fill(page, "Suppress an address", { email: "ada@example.org" })],
      ["/app/mailboxes", "Mailboxes", () => fill(page, "New mailbox", { local_part: "a b" })],
      [`/app/mailboxes/${mailboxId}`, "hello@pages.test", () => submit(page, { display_name: "Ada" })],
      ["/app/smtp", "Your new SMTP credential", () => fill(page, "New credential")],
      ["/app/contacts", "Customers", () => fill(page, "New list", { name: "Customers" })],
      ["/app/templates/new", "Receipt", () => submit(page, { name: "Receipt", html_body: "<p>Hi {{name}}</p>" })],
      ["/app/broadcasts/new", "New broadcast", () => submit(page, { name: "x".repeat(201) })],
      ["/app/broadcasts/new", "News", () => submit(page, { name: "News" }, [], "Continue")],
      ["/app/team", "Team", () => invite(page)],
      ["/app/settings", "Settings", () => submit(page, { name: "Example Shop" })],
    ];
    for (const [path, title, act] of visits) {
      await page.goto(path);
      await act?.(page);
      await check(title);
    }
    await page.setViewportSize({ width: 320, height: 800 });
    await page.goto("/app/emails");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Domains" }).click();
    await expect.poll(() => titleOf(page)).toBe("Domains");
  });

  it("lead from a link to the dashboard and out again, without JavaScript and by keyboard", async () => {
    const { page, context } = await site.open({ javaScriptEnabled: false });
    await page.goto(await site.magicLink());
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Skip to content");
    await pressOn(page, `Sign in as ${site.email}`);
    await page.waitForURL("**/app");
    expect(await page.locator("#account").textContent()).toContain(site.email);
    const cookies = await context.cookies();
    expect(cookies.map(({ name }) => name).sort()).toEqual(["refresh", "session"]);
    for (const { httpOnly, secure, sameSite } of cookies)
      expect({ httpOnly, secure, sameSite }).toEqual({ httpOnly: true, secure: true, sameSite: "Strict" });
    await pressOn(page, "Account", "Space");
    await pressOn(page, "Sign out");
    await page.waitForURL("**/auth/sign-in");
    expect(await context.cookies()).toEqual([]);
    await page.goto("/app");
    expect(page.url()).toContain("/auth/sign-in?next=%2Fapp");
  });

  it("create and revoke an API key without JavaScript and by keyboard", async () => {
    const { page, context } = await site.open({ javaScriptEnabled: false });
    await context.addCookies(await site.signIn());
    await page.goto("/app/api-keys");
    await pressOn(page, "New API key", "Space");
    await page.focus("[name=name]");
    await page.keyboard.type("By keyboard");
    await pressOn(page, "Create key");
    const key = /svc_k_\w{40}/.exec((await page.locator("main").textContent()) ?? "")?.[0] ?? "";
    const me = () => fetch(`${site.host.url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    expect(await (await me()).json()).toMatchObject({ scopes: ["emails:send"] });
    await pressOn(page, "I have copied it");
    await pressOn(page, "Revoke By keyboard");
    await pressOn(page, "Revoke key");
    expect(await page.locator("main").textContent()).toContain("The key is revoked.");
    expect((await me()).status).toBe(401);
  });

  it("connect a program and disconnect it, without JavaScript and by keyboard", async () => {
    const client = await startClient();
    const { page, context } = await site.open({ javaScriptEnabled: false });
    await context.addCookies(await site.signIn());
    await page.goto(await site.authorizePath(client.redirectUri, "A program"));
    expect(await page.locator("main").textContent()).toContain("This client is not verified.");
    await pressOn(page, "Allow");
    await page.waitForURL(`${client.redirectUri}?**`);
    const [response] = client.received;
    expect(Object.fromEntries(response?.searchParams ?? [])).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: "a state",
      iss: site.host.url,
    });
    await page.goto("/app/grants");
    await pressOn(page, "Disconnect A program");
    await pressOn(page, "Disconnect");
    expect(await page.locator("main").textContent()).toContain("No program is connected.");
    client.stop();
  });

  it("accept an invitation, then set up and use two-factor authentication, without JavaScript and by keyboard", async () => {
    const email = "joan@pages.test";
    const { page } = await site.open({ javaScriptEnabled: false });
    await page.goto(await site.invitation(email));
    await pressOn(page, `Join as ${email}`);
    await page.waitForURL("**/app");
    expect(await page.locator("#account").textContent()).toContain("Member of Example Shop");
    await pressOn(page, "Account", "Space");
    await pressOn(page, "Security");
    await pressOn(page, "Set up");
    const secret = ((await page.locator("p.code").textContent()) ?? "").replaceAll(" ", "");
    await page.focus("[name=code]");
    await page.keyboard.type(await CODE_OF(secret));
    await pressEnter(page);
    expect(await page.locator("main li").count()).toBe(10);
    const [recovery] = await page.locator("main li").allTextContents();
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();

    for (const [code, isRight] of [
      ["000000", false],
      [recovery ?? "", true],
    ] as const) {
      await page.goto(await site.magicLink(email));
      await pressOn(page, `Sign in as ${email}`);
      await page.waitForURL("**/auth/totp");
      await page.focus("[name=code]");
      await page.keyboard.type(code);
      await pressEnter(page);
      expect(new URL(page.url()).pathname).toBe(isRight ? "/app" : "/auth/totp");
    }
  });

  it("sign in to webmail and out again, without JavaScript and by keyboard", async () => {
    const { mailbox } = site.workspace;
    const password = await site.mailboxPassword();
    const { page, context } = await site.open({ javaScriptEnabled: false });
    await page.goto("/mail");
    await page.focus("[name=email]");
    await page.keyboard.type(mailbox);
    await page.keyboard.press("Tab");
    await page.keyboard.type(password);
    await pressEnter(page);
    expect(await page.title()).toBe(`Inbox · ${mailbox}`);
    const cookies = await context.cookies(`${site.host.url}/mail`);
    expect(cookies.map(({ name, path }) => `${name} ${path}`).sort()).toEqual([
      "mailbox /mail",
      "mailbox_refresh /mail",
    ]);
    expect(await context.cookies(`${site.host.url}/app`)).toEqual([]);
    await pressOn(page, "Sign out");
    expect(await context.cookies()).toEqual([]);
  });

  it("unsubscribe without JavaScript and by keyboard", async () => {
    const { page } = await site.open({ javaScriptEnabled: false });
    await page.goto(await site.unsubscribeLink());
    await pressOn(page, "Unsubscribe");
    expect(await titleOf(page)).toBe("You are unsubscribed");
  });

  it("cannot be shown in a frame of another page", async () => {
    const { page, context } = await site.open();
    await context.addCookies(await site.signIn());
    for (const path of [
      "/auth/sign-in",
      "/app/api-keys",
      await site.authorizePath("https://client.example/callback"),
    ]) {
      const refusal = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
      await page.setContent(`<iframe src="${site.host.url}${path}"></iframe>`);
      await refusal;
      expect(await page.frames().at(-1)?.locator("form").count(), path).toBe(0);
    }
  });
});

/** Fills in the form of a page, checks the boxes whose labels begin with these texts, and submits it. */
async function submit(
  page: Page,
  fields: Record<string, string> = {},
  boxes: readonly string[] = [],
  button?: string,
): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`main [name=${name}]:not([type=hidden], [hidden])`);
    const editor = page.getByRole("textbox", { name: "Text", exact: true });
    // The editor of webmail replaces the field of the text when it is loaded, perhaps after the field was found.
    await vi.waitFor(
      () => (name === "text" ? field.or(editor).first() : field).fill(value, { timeout: 2_000 }),
      30_000,
    );
  }
  for (const box of boxes) await page.getByRole("checkbox", { name: box }).check();
  const first = page.locator("main button[type=submit]:visible").first();
  await (button === undefined ? first : page.getByRole("button", { name: button, exact: true })).click();
  await page.waitForLoadState();
}

/** Opens the form behind a button, fills it in and submits it. */
async function fill(page: Page, label: string, fields: Record<string, string> = {}): Promise<void> {
  await unfold(page, label);
  for (const [name, value] of Object.entries(fields)) await page.fill(`dialog [name=${name}]`, value);
  await page.locator("dialog button[type=submit]").click();
  await page.waitForLoadState();
}

/** Sends an invitation whose address is refused. */
async function invite(page: Page): Promise<void> {
  await unfold(page, "Invite a person");
  await submit(page, { email: "a@b" }, [], "Send invitation");
}

/** Submits the form of an API key with custom access. */
async function createKey(page: Page, name: string, boxes: readonly string[]): Promise<void> {
  await unfold(page, "New API key");
  await page.getByRole("radio", { name: "Custom" }).check();
  await submit(page, { name }, boxes, "Create key");
}
