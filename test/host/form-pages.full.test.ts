import { readFile } from "node:fs/promises";
import jsQR from "jsqr";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { STEP_MS, totpCode } from "../../src/identity/sign-ins/second-factor/totp-code.ts";
import { fromBase32 } from "../support/base32.ts";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite, pressOn, type Site, titleOf, unfold } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** The editor of templates, the import of contacts, the time zone and the QR code of TOTP in Chromium. */

const site = perSuite(() => openSite("forms.test"));

describe.skipIf(chromiumUnavailable() !== null)("forms of the dashboard in Chromium", () => {
  async function open(options: Parameters<Site["open"]>[0] = {}) {
    const opened = await site.open(options);
    await opened.context.addCookies(await site.signIn());
    return opened;
  }

  const mainText = async (page: Page) => (await page.locator("main").textContent()) ?? "";
  const legends = (page: Page) => page.locator("fieldset legend").allTextContents();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  it("edit a template by blocks and as HTML, without an accessibility issue, console error or sideways scroll", async () => {
    const { page, problems } = await open();
    const check = async (what: string) => {
      expect(await findIssues(page), what).toEqual([]);
      expect(problems, what).toEqual([]);
    };
    await page.goto("/app/templates/new?editor=blocks");
    await check("no block");
    const types = ["Heading", "Text", "Button", "Image", "Divider", "Columns", "Spacer", "Part"];
    for (const type of types) await button(page, `Add ${type.toLowerCase()}`).click();
    await expect
      .poll(() => legends(page))
      .toEqual([...types.map((type, index) => `${index + 1}. ${type}`), "Add a block"]);
    await check("a block of each kind");
    await page.locator("summary[aria-label='Condition of block 2']").click();
    await page.locator("[name='b.1.showIf']").fill("plan");
    await page.locator("[name='b.1.equals']").fill("pro");
    await page.locator("[name='b.5.text']").fill("Left");
    await page.locator("[name='b.5.rightUrl']").fill("https://example.org/right.png");
    await page.locator("[name='b.5.rightText']").fill("A boat");
    await check("a condition and columns");
    await button(page, "Remove: block 8, part").click();
    await expect.poll(async () => (await legends(page)).at(-2)).toBe("7. Spacer");
    expect(await page.locator("[name='b.1.equals']").inputValue()).toBe("pro");
    await page.locator("[name=name]").fill("A name ".repeat(20));
    await page.locator("[name='b.2.url']").fill("javascript:alert(1)");
    await page.evaluate("for (const form of document.forms) form.noValidate = true");
    await button(page, "Save").click();
    await page.getByRole("alert").waitFor();
    await check("wrong fields");
    for (const [index, text] of ["Welcome, {{name}}", "A text", "Open", "A boat"].entries())
      await page.locator(`[name='b.${index}.text']`).fill(text);
    for (const index of [2, 3]) await page.locator(`[name='b.${index}.url']`).fill("https://example.org/boat.png");
    await button(page, "Save").click();
    await page.getByText("The template is saved.").waitFor();
    await check("a stored template");
    await button(page, "Remove: block 4, image").click();
    await button(page, "Save").click();
    await page.getByText("The template is saved.").waitFor();
    await page.getByRole("link", { name: "HTML", exact: true }).click();
    await page.getByText("Saving the HTML deletes the blocks").waitFor();
    await check("HTML in place of blocks");
    await button(page, "Save").click();
    await page.getByText("The template is saved.").waitFor();
    await expect.poll(() => page.locator("[name=html_body]").inputValue()).toContain("Welcome, {{name}}</h1>");
    const html = await page.locator("[name=html_body]").inputValue();
    for (const written of ['{% if plan == "pro" %}<p', '<table role="presentation"', "height:32px"])
      expect(html).toContain(written);
    expect(await page.locator("[name=language]").inputValue()).toBe("liquid");
    await check("HTML");
  });

  it("ask before they are left changed, and not when they are saved", async () => {
    const { page } = await open();
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.goto("/app/templates/new");
    await page.goto("/app/settings");
    expect(asked).toEqual([]);
    await page.goto("/app/templates/new");
    await page.locator("[name=name]").pressSequentially("Left");
    await page.goto("/app/settings");
    expect(asked).toEqual(["beforeunload"]);
    await page.goto("/app/templates/new");
    await page.locator("[name=name]").pressSequentially("Saved");
    await page.locator("[name=html_body]").fill("<p>Hi</p>");
    await button(page, "Save").click();
    await page.getByText("The template is saved.").waitFor();
    expect(asked).toEqual(["beforeunload"]);
  });

  it("come back whole when the session has ended, and are sent again after a sign-in in another tab", async () => {
    const { page, context, problems } = await open();
    await page.goto("/app/templates/new");
    await page.locator("[name=name]").fill("Long work");
    await page.locator("[name=html_body]").fill('<p class="a">1 &lt; 2\nSecond line</p>');
    await context.clearCookies();
    await button(page, "Save").click();
    await expect.poll(() => titleOf(page)).toBe("Your session has ended");
    expect(await findIssues(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.addCookies(await site.signIn());
    await button(page, "Send the form again").click();
    await page.getByText("The template is saved.").waitFor();
    expect(await page.locator("[name=html_body]").inputValue()).toBe('<p class="a">1 &lt; 2\nSecond line</p>');
  });

  it.each([
    ["/app/templates/new", "html_body", "<p>Dear {{name}}</p>"],
    ["/app/templates/new?editor=blocks", "b.0.text", "Dear {{name}}"],
  ])("show a template while it is written, without a step back in the history (%s)", async (path, field, text) => {
    const { page, problems } = await open();
    await page.goto(path);
    if (field !== "html_body") await button(page, "Add heading").click();
    const steps = await page.evaluate("history.length");
    const shown = page.frameLocator("iframe[name=preview]");
    await page.locator(`[name='${field}']`).fill(text);
    await shown.getByText("Dear name", { exact: true }).waitFor();
    await page.locator(`[name='${field}']`).fill("Good day");
    await shown.getByText("Good day", { exact: true }).waitFor();
    expect([await page.evaluate("history.length"), page.frames().length]).toEqual([steps, 2]);
    expect(await page.evaluate("document.activeElement.name")).toBe(field);
    expect(problems).toEqual([]);
  });

  it("add, move, remove, preview and save blocks without JavaScript and by keyboard", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await page.goto("/app/templates/new?editor=blocks");
    await page.focus("[name=name]");
    await page.keyboard.type("By keyboard");
    // The page focuses the changed block by itself, some time after its elements are there. Keys before that are lost.
    const focus = (name: string) => page.locator(`[name='${name}']:focus`).waitFor();
    const focusAny = () => page.locator(":focus").waitFor();
    await pressOn(page, "Add heading");
    await focus("b.0.text");
    await page.keyboard.type("First {{name}}");
    await pressOn(page, "Add text");
    await focus("b.1.text");
    await page.keyboard.type("Second");
    await pressOn(page, "Add divider");
    await focusAny();
    expect(await legends(page)).toEqual(["1. Heading", "2. Text", "3. Divider", "Add a block"]);
    await pressOn(page, "Down: block 1, heading");
    await focusAny();
    expect(await legends(page)).toEqual(["1. Text", "2. Heading", "3. Divider", "Add a block"]);
    await page.keyboard.press("Enter");
    await expect.poll(() => legends(page)).toEqual(["1. Text", "2. Divider", "3. Heading", "Add a block"]);
    await focusAny();
    await pressOn(page, "Remove: block 2, divider");
    await focusAny();
    expect(await legends(page)).toEqual(["1. Text", "2. Heading", "Add a block"]);
    await page.focus("[name=name]");
    await pressOn(page, "Update preview", "Space");
    const preview = page.frameLocator("iframe[name=preview]").locator("body");
    await expect.poll(() => preview.textContent({ timeout: 1_000 }).catch(String)).toContain("First name");
    await page.focus("[name=name]");
    await page.keyboard.press("Enter");
    await expect.poll(() => mainText(page)).toContain("The template is saved.");
    expect(await page.locator("[name='b.1.text']").inputValue()).toBe("First {{name}}");
  });

  const fileOf = (name: string, mimeType: string, text: string) => ({ name, mimeType, buffer: Buffer.from(text) });
  const csvFile = (text: string) => fileOf("contacts.csv", "text/csv", text);
  const FILE = `\ufeffemail;Name;city\r\nada@example.org;Ada;"Bath;\r\nUK"\r\n\r\n;nobody;\r\nno address;;\r\nb@example.org;;"a"b\r\n`;

  async function newList(page: Page): Promise<string> {
    await page.goto("/app/contacts");
    await unfold(page, "New list");
    await page.locator("[name=name]").fill("Customers");
    await button(page, "Create list").click();
    await page.waitForURL(/\/app\/contacts\/.+/);
    return new URL(page.url()).pathname;
  }

  /** Returns the columns of a file, what they become, and their first cells. The line breaks of a document that a server sent are LF. */
  const columns = async (page: Page) =>
    Promise.all(
      (await page.locator("main fieldset .field").all()).map(async (field) => [
        await field.locator("label").textContent(),
        await field.locator("select").inputValue(),
        (await field.locator(".hint").textContent())?.replaceAll("\r\n", "\n"),
      ]),
    );

  it("show the columns of a file before it is imported, then the progress and what became of each row", async () => {
    const { page, problems } = await open();
    const path = await newList(page);
    const check = async (what: string) => {
      expect(await findIssues(page), what).toEqual([]);
      expect(problems, what).toEqual([]);
    };
    await page.goto(`${path}/import`);
    await check("no file");
    await page.locator("[name=file]").setInputFiles(csvFile(""));
    await page.getByText("The CSV file is empty").waitFor();
    await check("an empty file");
    await page.locator("[name=file]").setInputFiles(csvFile(FILE));
    await page.locator("main fieldset").waitFor();
    expect(await columns(page)).toEqual([
      ["email", "email", "ada@example.org · no address"],
      ["Name", "name", "Ada · nobody"],
      ["city", "metadata.city", "Bath;\nUK"],
    ]);
    expect(await mainText(page)).toContain("Some of the first rows are not valid CSV");
    await check("the first rows");
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await page.route(`**${path}/import`, async (route) => {
      if (route.request().method() === "POST") await held;
      await route.continue();
    });
    await button(page, "Import").click();
    await page.locator("main progress").waitFor();
    expect(await button(page, "Import").isDisabled()).toBe(true);
    await check("the progress");
    finish();
    await page.getByText("1 imported, 1 skipped, 2 refused.").waitFor();
    expect(await page.locator("main .notice li").allTextContents()).toEqual([
      expect.stringMatching(/^Row 5: "no address"/),
      expect.stringMatching(/^Row 6: /),
    ]);
    expect(await page.evaluate("document.activeElement.className")).toContain("notice");
    expect(await mainText(page)).toContain("The list has 1 contact.");
    await check("the result");
  });

  it.each([
    ["email-address-header.csv", ["Jürgen Müller", "Chloë Dubois", "太郎 山田"]],
    ["semicolons-cp1252.csv", ["Jürgen Müller", "Chloë Dubois"]],
    ["utf16-tabs.txt", ["Jürgen Müller", "Chloë Dubois", "太郎 山田"]],
    ["upper-case.csv", ["Jürgen Müller", "Chloë Dubois", "太郎 山田"]],
    ["members-with-status.csv", ["Jürgen Müller", "Lena Links", "Dora Tod"]],
  ])("import a file of another service as it is: %s", async (name, people) => {
    const { page, problems } = await open();
    const path = await newList(page);
    await page.goto(`${path}/import`);
    await page.locator("[name=file]").setInputFiles(new URL(`../unit/csv-exports/${name}`, import.meta.url).pathname);
    await page.locator("main fieldset").waitFor();
    await button(page, "Import").click();
    await page.getByText(`${people.length} imported, 0 skipped, 0 refused.`).waitFor();
    await page.goto(path);
    const text = await mainText(page);
    for (const person of people) expect(text).toContain(person);
    expect(problems).toEqual([]);
  });

  it("import what the user says that the columns are, and give the refused rows back as a file", async () => {
    const { page } = await open();
    const path = await newList(page);
    await page.goto(`${path}/import`);
    await page
      .locator("[name=file]")
      .setInputFiles(csvFile("Kontakt,Wer,Notiz\na@a.example,Ada,x\nno address,Bob,=1\n"));
    await page.locator("main fieldset").waitFor();
    await page.getByLabel("Kontakt").selectOption("email");
    await page.getByLabel("Wer").selectOption("name");
    await page.getByLabel("Notiz").selectOption("");
    await button(page, "Import").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download the refused rows" }).click(),
    ]);
    const file = await readFile(await download.path(), "utf8");
    expect(file).toMatch(/^refused because,Kontakt,Wer,Notiz\r\n"?""?no address.*,no address,Bob,'=1\r\n$/);
    await page.locator("[name=file]").setInputFiles(csvFile(file.replace("no address,Bob", "b@a.example,Bob")));
    await page.locator("main fieldset").waitFor();
    expect((await columns(page))[0]?.[1]).toBe("");
    await page.getByLabel("Wer").selectOption("name");
    await button(page, "Import").click();
    await page.getByText("1 imported, 0 skipped, 0 refused.").waitFor();
  });

  it("show in bytes how much of an import and of an attachment has arrived", async () => {
    const { page, context, problems } = await open();
    const devTools = await context.newCDPSession(page);
    const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1024 * 1024 };
    await devTools.send("Network.emulateNetworkConditions", limits);
    const { mailboxId } = site.workspace;
    const message = `From ada\nSubject: Large\nFrom: ada@example.org\n\n${"A line of text.\n".repeat(90_000)}`;
    const progress = page.getByText(/^Uploading \d\.\d of [12]\.\d MiB/);
    await page.goto(`/mail/import/${mailboxId}`);
    await page.locator("[name=file]").setInputFiles(fileOf("old.mbox", "application/mbox", message));
    await button(page, "Import").click();
    await progress.waitFor();
    await page.getByText("1 messages were imported").waitFor();
    await page.goto(`/mail/compose/${mailboxId}`);
    await page.locator("[name=upload]").setInputFiles(fileOf("notes.txt", "text/plain", message));
    await progress.waitFor();
    await page.getByText("Draft saved").waitFor();
    expect(problems).toEqual([]);
  });

  it("say that the connection broke during an import, and let it be repeated", async () => {
    const { page } = await open();
    await page.goto(`${await newList(page)}/import`);
    await page.locator("[name=file]").setInputFiles(csvFile(FILE));
    await page.route("**/import", (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
    await button(page, "Import").click();
    await page.getByRole("alert").getByText("The connection broke.").waitFor();
    await page.unroute("**/import");
    await button(page, "Import").click();
    await page.getByText("1 imported, 1 skipped, 2 refused.").waitFor();
  });

  it("check and import a file without JavaScript and by keyboard", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    const path = await newList(page);
    await pressOn(page, "Import a file");
    await page.locator("[name=file]").setInputFiles(csvFile(FILE));
    await pressOn(page, "Show the columns");
    expect((await columns(page))[2]).toEqual(["city", "metadata.city", "Bath;\nUK"]);
    await page.locator("[name=file]").setInputFiles(csvFile(FILE));
    await pressOn(page, "Import");
    await expect.poll(() => mainText(page)).toContain("1 imported, 1 skipped, 2 refused.");
    await page.goto(path);
    expect(await mainText(page)).toContain("ada@example.org");
  });

  it("choose a time zone without JavaScript and by keyboard, which then wins over that of the browser", async () => {
    const { page, context } = await open({ javaScriptEnabled: false });
    await page.goto("/app/settings");
    await page.focus("[name=time_zone]");
    await page.keyboard.type("Asia/Kat");
    await pressOn(page, "Save time zone");
    expect(await mainText(page)).toContain("The time zone is saved.");
    expect(await page.locator("[name=time_zone]").inputValue()).toMatch(/^Asia\/Kat[hm]/);
    await context.close();
    const other = await open({ timezoneId: "America/New_York" });
    await other.page.goto("/app/settings");
    expect(await findIssues(other.page)).toEqual([]);
    await other.page.goto("/app/security");
    const time = other.page.locator("time").first();
    const at = Date.parse((await time.getAttribute("datetime")) ?? "") + (5 * 60 + 45) * 60_000;
    expect(await time.getAttribute("title")).toContain(`, ${new Date(at).toISOString().slice(11, 16)} · `);
    expect((await other.context.cookies()).filter(({ name }) => name === "tz")).toEqual([]);
    await other.context.close();
  });

  it("show the TOTP secret as a QR code that a scanner reads in both colour schemes, and whose codes sign in", async () => {
    const member = await site.addMember();
    const { page, context } = await site.open({ javaScriptEnabled: false });
    await context.addCookies(await site.signIn(member));
    await page.goto("/app/security");
    await button(page, "Set up").click();
    const link = await page.getByRole("link", { name: "Open in an app on this device" }).getAttribute("href");
    for (const [colorScheme, width] of [
      ["dark", 1280],
      ["light", 320],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await scan(await page.locator("svg.qr").screenshot()), colorScheme).toBe(link);
    }
    const secret = new URL(link ?? "").searchParams.get("secret") ?? "";
    expect(((await page.locator("p.code").textContent()) ?? "").replaceAll(" ", "")).toBe(secret);
    const codeOf = (steps: number) => totpCode(fromBase32(secret), Math.floor(Date.now() / STEP_MS) + steps);
    await page.locator("[name=code]").fill(await codeOf(-1));
    await button(page, "Turn on").click();
    await expect.poll(() => mainText(page)).toContain("Two-factor authentication is on.");
    await context.clearCookies();
    await page.goto(await site.magicLink(`${member}@forms.test`));
    await button(page, `Sign in as ${member}@forms.test`).click();
    await page.waitForURL("**/auth/totp");
    await page.locator("[name=code]").fill(await codeOf(0));
    await page.locator("main button").first().click();
    await page.waitForURL("**/app");
  });

  /** Returns the text of a QR code in a screenshot. Chromium decodes the PNG. */
  async function scan(png: Buffer): Promise<string | undefined> {
    const { page, context } = await site.open();
    const { data, width, height } = (await page.evaluate(`(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${png.toString("base64")}";
      await image.decode();
      const drawing = new OffscreenCanvas(image.width, image.height).getContext("2d");
      drawing.drawImage(image, 0, 0);
      const { data, width, height } = drawing.getImageData(0, 0, image.width, image.height);
      return { data: [...data], width, height };
    })()`)) as { data: number[]; width: number; height: number };
    await context.close();
    return jsQR(Uint8ClampedArray.from(data), width, height)?.data;
  }
});
