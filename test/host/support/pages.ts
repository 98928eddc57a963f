/** A workspace of the service, the links of its emails, and pages in Chromium, for tests of pages. */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, BrowserContextOptions, Cookie, Page } from "playwright-core";
import { onTestFinished, TestRunner } from "vitest";
import { newSession } from "../../../src/access/sessions/start.ts";
import { registerClient } from "../../../src/identity/oauth/clients.ts";
import { createMagicLink } from "../../../src/identity/sign-ins/magic-links/create.ts";
import { keyedHashes } from "../../../src/lib/secret-box.ts";
import { HOUR_MS } from "../../../src/lib/time.ts";
import { newUnsubscribeUrl } from "../../../src/platform/mail-tokens/return-path.ts";
import { openPage, sharedBrowser } from "./browser.ts";
import { callerOf } from "./call-api.ts";
import { type Service, sharedService, type WorkspaceOptions } from "./shared-service.ts";

export type Site = Awaited<ReturnType<typeof openSite>>;

/** A code challenge (RFC 7636, appendix B). No test redeems the code. */
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/**
 * Adds a workspace with this domain to a service, by default the one that files share, for pages that its owner ada@ the domain
 * opens.
 */
export async function openSite(domain: string, options?: WorkspaceOptions, service?: Service) {
  const { host, ctx, dnsPort, left, addWorkspace } = service ?? (await sharedService());
  const email = `ada@${domain}`;
  const workspace = await addWorkspace(domain, options);
  const contexts: BrowserContext[] = [];
  const { masterKeys } = ctx.settings;
  const call = callerOf(host.url, workspace.apiKey);

  return {
    ...{ host, ctx, dnsPort, left, email, workspace, call },

    /** The mail database of the workspace. */
    mailDb: workspace.mailShard === 0 ? host.env.MAIL_0 : host.env.MAIL_1,

    /** Opens a page of this site, or of another host that is this machine. It is closed after the test, or with the site. */
    async open(options?: BrowserContextOptions, baseURL = host.url) {
      const opened = await openPage(await sharedBrowser(), baseURL, options);
      if (TestRunner.getCurrentTest()) onTestFinished(() => opened.context.close());
      else contexts.push(opened.context);
      return opened;
    },

    /** Returns the cookies of a new session of the owner, or of another member. */
    async signIn(userId = workspace.userId): Promise<Cookie[]> {
      const client = {
        ip: "192.0.2.7",
        userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      };
      const { workspaceId } = workspace;
      const { statements, tokens } = await newSession(ctx, { userId, workspaceId, method: "magic_link", client });
      await ctx.db.batch(statements);
      return cookiesOf(host.url, tokens);
    },

    /** Adds a user with the role member to the workspace and returns its id. */
    async addMember(): Promise<string> {
      const [id, now] = [ctx.newId(), ctx.now()];
      await ctx.db.batch([
        ctx.db
          .prepare("INSERT INTO users (id, email, email_key, created_at) VALUES (?1, ?2, ?2, ?3)")
          .bind(id, `${id}@${domain}`, now),
        ctx.db
          .prepare("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'member', ?3)")
          .bind(workspace.workspaceNumber, id, now),
      ]);
      return id;
    },

    /** Returns the path of a new sign-in link of an address. */
    async magicLink(of = email): Promise<string> {
      return new URL(await createMagicLink(ctx, { email: of, next: "/app" })).pathname;
    },

    /** Returns the path of a new invitation of an address. */
    async invitation(of: string): Promise<string> {
      const token = randomBytes(32).toString("base64url");
      const [hash] = await keyedHashes(masterKeys, "invitation", token);
      const [now, { workspaceNumber, userId }] = [ctx.now(), workspace];
      await ctx.db
        .prepare(
          "INSERT INTO invitations (id, workspace, email, email_key, role, hash, invited_by, created_at, expires_at) VALUES (?1, ?2, ?3, ?3, 'member', ?4, ?5, ?6, ?7)",
        )
        .bind(ctx.newId(), workspaceNumber, of, hash, userId, now, now + HOUR_MS)
        .run();
      return `/invitations/${token}`;
    },

    /** Sends an email with text and HTML from the workspace and returns its id. */
    async sendEmail(): Promise<string> {
      const { id } = await call("POST", "/v1/emails/", {
        from_: { email: workspace.mailbox },
        to: [{ email: "friend@example.org" }],
        subject: "Read me",
        text: "Hello",
        html: "<h1>Hello</h1>",
      });
      return id;
    },

    /** Returns the path of the unsubscribe page of an email that the workspace has sent. */
    async unsubscribeLink(): Promise<string> {
      const id = await this.sendEmail();
      const mail = { workspace: workspace.workspaceNumber, emailId: id, recipient: 0 };
      return new URL(await newUnsubscribeUrl(masterKeys, mail, host.url)).pathname;
    },

    /** Sets the password of the workspace's mailbox and returns it. */
    async mailboxPassword(): Promise<string> {
      const password = "correct horse battery staple";
      await call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
      return password;
    },

    /** Returns the path of an authorization request of a new client. */
    async authorizePath(redirectUri: string, name = "An assistant"): Promise<string> {
      const client = await registerClient(ctx, { redirect_uris: [redirectUri], client_name: name });
      const query = new URLSearchParams({
        response_type: "code",
        client_id: client.id,
        redirect_uri: redirectUri,
        code_challenge: CHALLENGE,
        code_challenge_method: "S256",
        scope: "emails:view emails:send",
        state: "a state",
      });
      return `/oauth/authorize?${query}`;
    },

    /** Closes the pages. The owner administers the platform no longer, which other files share. */
    async stop(): Promise<void> {
      for (const context of contexts) await context.close();
      const demote = ctx.db.prepare("UPDATE users SET is_platform_admin = 0 WHERE id = ?1");
      await demote.bind(workspace.userId).run();
    },
  };
}

/** Returns the title of a page without the name of the workspace or of the service at its end. */
export async function titleOf(page: Page): Promise<string> {
  return (await page.title()).replace(/ · (Example Shop|Email service)$/, "");
}

/** Opens the form behind a button of the page, by the mouse. */
export const unfold = (page: Page, label: string) => page.locator("main summary.button", { hasText: label }).click();

/** Returns the texts of the main buttons that a page of the dashboard shows outside its dialogs: those with the colour of one. */
export async function mainButtons(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const main = document.querySelector("main");
    const colourOf = (button) => getComputedStyle(button).backgroundColor;
    const probe = main.appendChild(document.createElement("button"));
    const colour = colourOf(probe);
    probe.remove();
    return [...main.querySelectorAll("button, .button")]
      .filter((button) => button.checkVisibility() && !button.closest("dialog, .sheet") && colourOf(button) === colour)
      .map((button) => button.textContent);
  })()`);
}

/** Starts a program on this machine that receives the response of an authorization request. */
export async function startClient() {
  const received: URL[] = [];
  const server = createServer((request, response) => {
    received.push(new URL(request.url ?? "/", "http://127.0.0.1"));
    response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Connected</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { redirectUri: `http://127.0.0.1:${port}/callback`, received, stop: () => server.close() };
}

function cookiesOf(
  url: string,
  { accessToken, refreshToken }: { accessToken: string; refreshToken: string },
): Cookie[] {
  const { hostname: domain } = new URL(url);
  const options = { domain, path: "/", expires: -1, httpOnly: true, secure: true, sameSite: "Strict" as const };
  return [
    { name: "session", value: accessToken, ...options },
    { name: "refresh", value: refreshToken, ...options },
  ];
}

/**
 * Presses Tab until the element with this accessible name has the focus, then Enter, and waits for the next page. With
 * `key` Space it checks a box instead. Throws when Tab does not reach the element.
 */
export async function pressOn(page: Page, name: string, key: "Enter" | "Space" = "Enter"): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if (await isBehindPage(page)) await page.locator("a, button, input").first().focus();
    if ((await focusedName(page)) !== name) continue;
    return key === "Enter" ? pressEnter(page) : page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach "${name}" on ${page.url()}`);
}

/** Returns true when Tab has left the page: a browser without a window then keeps the focus in the last frame, or nowhere. */
async function isBehindPage(page: Page): Promise<boolean> {
  // The button within a date field has the focus without matching `:focus`.
  return await page.evaluate<boolean>("['BODY', 'IFRAME'].includes(document.activeElement.tagName)");
}

/** Presses Enter and waits for the next page. A frame of this page may still load meanwhile. */
export async function pressEnter(page: Page): Promise<void> {
  const next = page.waitForEvent("framenavigated", (frame) => frame === page.mainFrame());
  await page.keyboard.press("Enter");
  await next;
  await page.waitForLoadState();
}

/** Returns the name of the element with the focus: its aria-label, its text, or the text of the label around it. */
async function focusedName(page: Page): Promise<string> {
  const focused = page.locator(":focus");
  if ((await focused.count()) === 0) return "";
  const name = (await focused.getAttribute("aria-label")) ?? (await focused.textContent()) ?? "";
  if (name.trim() !== "") return name.trim();
  const label = page.locator("label", { has: focused });
  return (await label.count()) === 0 ? "" : ((await label.textContent()) ?? "").trim();
}
