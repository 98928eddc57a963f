/** The local service of `npm start`, for pictures of its pages and the tests of the guides. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { ROOT, readLayout } from "../../../../dev/layout.ts";
import { type LocalService, readLocalService } from "../../../../dev/local-file.ts";
import { launchBrowser } from "../browser.ts";
import { callerOf } from "../call-api.ts";
import { findTestPort } from "../ports.ts";

export type Service = Awaited<ReturnType<typeof startService>>;

/** How long the start may take on a busy machine, which fills the example shop too with `--example`. */
const START_MS = 150_000;

/**
 * Starts the service on a new state folder, and a browser, and waits until the service is ready. `args`: those of `npm start`, such as
 * `--example`. Throws with its output when it does not start.
 */
export async function startService(...args: readonly string[]) {
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-pictures-"));
  const port = await findTestPort();
  const env = { ...process.env, STATE_DIR: stateDir, PORT: String(port) };
  const layout = readLayout(env);

  const child: ChildProcess = spawn("node", ["dev/setup.mjs", "dev/start.ts", ...args], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  const local = await waitUntilReady();
  const browser: Browser = await launchBrowser();
  const url = new URL(local.base_url).origin;

  async function waitUntilReady(): Promise<LocalService> {
    for (const end = Date.now() + START_MS; Date.now() < end && child.exitCode === null; await sleep(100)) {
      const local = output.includes("The service is ready.") && (await readLocalService(layout));
      if (local) return local;
    }
    throw new Error(`the service did not start:\n${output}`);
  }

  return {
    url,
    local,
    /** Returns the text that `npm start` has printed. */
    output: () => output,

    /** Calls the API with the key of the workspace of the first start. */
    call: callerOf(url, local.api_key),

    /** Opens a page in a new browser context. */
    async open(options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({ baseURL: url, ...options });
      return context.newPage();
    },

    /** Signs an address in by the link that it gets by mail. */
    async signIn(page: Page, email: string): Promise<void> {
      await page.goto("/auth/sign-in");
      await page.getByLabel("Email address").fill(email);
      await page.getByRole("button", { name: "Email me a link" }).click();
      const mail = (await this.captured(email, "Sign in to")).replaceAll("=\r\n", "");
      await page.goto(/\/auth\/magic-link\/[\w-]+/.exec(mail)?.[0] ?? "");
      await page.getByRole("button", { name: `Sign in as ${email}` }).click();
      await page.waitForURL("**/app");
    },

    /** Returns the text of the newest captured mail to an address. Waits for it, and throws after 20 s. */
    async captured(to: string, subject = ""): Promise<string> {
      for (const end = Date.now() + 20_000; Date.now() < end; await sleep(100)) {
        const mails = (await (await fetch(`${local.captured_mail_url}/messages`)).json()) as {
          id: string;
          to: string[];
        }[];
        for (const { id, to: recipients } of mails) {
          if (!recipients.includes(to)) continue;
          const raw = await (await fetch(`${local.captured_mail_url}/messages/${id}`)).text();
          if (raw.includes(subject)) return raw;
        }
      }
      throw new Error(`no mail to ${to} was captured`);
    },

    async stop(): Promise<void> {
      await browser.close();
      const exited = child.exitCode === null ? once(child, "exit") : null;
      child.kill("SIGTERM");
      await exited;
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
