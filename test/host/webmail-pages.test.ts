import type { Page, Request, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite, pressOn } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";
import { webmailOf } from "./support/webmail.ts";

const site = perSuite(() => openSite("webmail.test"));
const mail = perSuite(() => webmailOf(site));

const mainText = async (page: Page) => (await page.locator("main").textContent()) ?? "";
const rowsOf = async (page: Page) =>
  (await page.locator("ul.messages .what a").allTextContents()).map((text) => text.trim());

describe.skipIf(chromiumUnavailable() !== null)("webmail in Chromium", () => {
  it("has no accessibility issue, console error, foreign request or sideways scroll, in any look", async () => {
    const { id } = await mail.call("POST", "/labels", { name: "Bills", color: "#a4262c" });
    const long = "A subject that is much longer than any window is wide, and it goes on for another line or two";
    const uid = await mail.receive({
      subject: long,
      html: "<h1>Hello</h1><table width=900><tr><td>Wide</td></tr></table>",
    });
    await mail.receive({ subject: "", text: "" });
    await mail.call("POST", "/messages/batch", { folder: "INBOX", uids: [uid], action: "label", label_id: id });
    await mail.call("POST", "/messages/batch", { folder: "INBOX", uids: [uid], action: "flag" });
    const mailbox = site.workspace.mailbox;
    const { page, problems } = await mail.open();
    const visits: [string, string, ((page: Page) => Promise<unknown>)?][] = [
      [mail.path("/INBOX"), "Inbox"],
      [mail.path("/INBOX"), "Inbox", () => page.keyboard.press("?")],
      [mail.path(`/INBOX/${uid}`), long],
      [`${mail.composePath}?reply=forward&folder=INBOX&uid=${uid}`, "New message"],
      [mail.composePath, "New message", (of) => attach(of, "notes.txt")],
      [`/mail/folders/${site.workspace.mailboxId}`, "Folders and labels"],
      [`/mail/import/${site.workspace.mailboxId}`, "Import and export"],
      [`/mail/labels/${site.workspace.mailboxId}/${id}`, "Bills"],
      [mail.path(`/INBOX?done=delete&n=1&undo=${encodeURIComponent('[["Trash","move:INBOX","1"]]')}`), "Inbox"],
      [mail.path("/INBOX"), "Inbox", (of) => openMenu(of, "Labels")],
      [mail.path(`/INBOX/${uid}`), long, (of) => of.getByRole("button", { name: "More for this message" }).click()],
      [mail.path("/Trash"), "Trash"],
    ];
    for (const [path, title, act] of visits) {
      await page.goto(path);
      await act?.(page);
      expect(await page.title(), path).toBe(`${title} · ${mailbox}`);
      expect(await findIssues(page), path).toEqual([]);
      expect(problems, path).toEqual([]);
    }
  });

  it("says that images of other hosts are off only where a message has some", async () => {
    const { page } = await mail.open();
    for (const [html, isSaid] of [
      ["<p>No image</p>", false],
      ['<p>One <img src="https://elsewhere.example/a.png" alt="A boat"></p>', true],
    ] as const) {
      const uid = await mail.receive({ subject: "Images", html });
      await page.goto(mail.path(`/INBOX/${uid}`));
      await page.frameLocator("iframe.mail").locator("p").first().waitFor();
      await expect.poll(() => page.getByText("Images of other hosts are not loaded.").isVisible()).toBe(isSaid);
    }
  });

  it("leads from the subject into the text by Tab", async () => {
    const { page } = await mail.open();
    await page.goto(mail.composePath);
    await page.locator(".rich[data-shown]").waitFor();
    await page.getByLabel("Subject").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.type("Straight into the text");
    expect(await page.locator(".rich").textContent()).toContain("Straight into the text");
  });

  it("is used by keyboard alone: read, archive, undo, search, reply, undo", async () => {
    for (const subject of ["First", "Second", "Third"]) await mail.receive({ subject });
    const { page } = await mail.open();
    await page.goto(mail.path("/INBOX"));
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect.poll(() => focusedText(page)).toBe("Second");
    await page.keyboard.press("e");
    await page.getByText("1 message moved to Archive.").waitFor();
    expect(await mail.subjects("Archive")).toEqual(["Second"]);
    await expect.poll(() => focusedText(page)).toBe("First");
    await page.keyboard.press("z");
    await page.getByText("1 message moved back.").waitFor();
    expect(await mail.subjects("Archive")).toEqual([]);
    await expect.poll(() => focusedText(page)).toBe("Second");
    await page.keyboard.press("/");
    await page.keyboard.type("Third");
    await page.keyboard.press("Enter");
    await page.waitForURL("**q=Third**");
    await page.keyboard.press("j");
    await page.keyboard.press("o");
    await page.waitForURL("**/INBOX/*");
    await page.keyboard.press("r");
    await page.waitForURL("**reply=one**");
    await page.locator(".editor:focus").waitFor();
    await page.keyboard.type("My response");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL("**/INBOX/*?sent=**");
    await expect.poll(() => page.locator("[data-countdown]").textContent()).toMatch(/^\d+ seconds left$/);
    await pressOn(page, "Undo");
    expect(await page.locator(".editor").textContent()).toContain("My response");
  });

  it("shows a conversation as one row and stacked, and returns from it to the next row, on a phone", async () => {
    await mail.receive({ subject: "Next one" });
    await mail.receive({ subject: "Plan" });
    const { items } = await mail.call<{ items: { message_id: string }[] }>("GET", "/messages?limit=1");
    await mail.receive({ subject: "Re: Plan", in_reply_to: items[0]?.message_id ?? "" });
    const { page, problems } = await mail.open({ viewport: { width: 390, height: 844 } });
    await page.goto(mail.path("/INBOX"));
    expect((await rowsOf(page)).slice(0, 2)).toEqual(["Re: Plan", "Next one"]);
    await expectReachable(page);
    await page.getByRole("checkbox", { name: "Select Re: Plan" }).check();
    await expectOneRow(page, ".list-form .toolbar", 7);
    await page.keyboard.press("l");
    await page.locator("#label-menu :focus").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("checkbox", { name: "Select Re: Plan" }).uncheck();
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.locator(".conversation article").nth(1).waitFor();
    await expectOneRow(page, "form.toolbar", 7);
    await expectReachable(page);
    expect(await page.locator(".conversation details[open] pre").count()).toBe(2);
    await page.keyboard.press("j");
    await page.keyboard.press("o");
    await expect.poll(() => page.locator(".conversation details[open] pre").count()).toBe(1);
    await page.keyboard.press("#");
    await page.getByText("2 messages moved to Trash.").waitFor();
    await expect.poll(() => focusedText(page)).toBe("Next one");
    await page.keyboard.press("z");
    await expect.poll(() => focusedText(page)).toBe("Re: Plan");
    await page.keyboard.press("o");
    await page.locator(".conversation article > details:not([open])").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("o");
    await page.frameLocator("iframe.text").getByText("A text").waitFor();
    await expect.poll(async () => (await page.locator("iframe.text").boundingBox())?.height).toBeLessThan(100);
    expect(problems).toEqual([]);
  });

  it("switches its single keys off in the help, which stays so", async () => {
    const { page } = await mail.open();
    await page.goto(mail.path("/INBOX"));
    await page.keyboard.press("?");
    await page.getByRole("checkbox", { name: "Use single keys" }).uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await page.reload();
    await page.keyboard.press("c");
    expect(await page.locator("dialog").count()).toBe(0);
    expect(page.url()).toContain("/INBOX");
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("checkbox", { name: "Use single keys" }).check();
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await page.waitForURL(`**${mail.composePath}`);
  });

  it("works without scripts: label, delete and undo, attach, save", async () => {
    const uid = await mail.receive({ subject: "Without scripts" });
    const { page } = await mail.open({ javaScriptEnabled: false });
    await page.goto(`/mail/folders/${site.workspace.mailboxId}`);
    await page.fill("[name=label_name]:not([aria-label])", "Travel");
    await page.getByRole("button", { name: "Create label" }).click();
    await expect.poll(() => mainText(page)).toContain("The label was created.");
    await page.goto(mail.path("/INBOX"));
    expect(await page.locator("time").first().getAttribute("title")).toMatch(/(^| · )\d+ \w+ \d{4}, \d\d:\d\d UTC$/);
    await page.getByRole("checkbox", { name: "Select Without scripts" }).check();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => rowsOf(page)).toContain("Without scripts");
    await page.goto(mail.path(`/INBOX/${uid + 1}`));
    await page.goto(mail.composePath);
    await page.fill("[name=text]", "Kept");
    await page.setInputFiles("[name=upload]", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("abc") });
    await page.getByRole("button", { name: "Attach", exact: true }).click();
    await page.getByRole("button", { name: "Remove a.txt" }).waitFor();
    expect(await page.locator("[name=text]").inputValue()).toBe("Kept");
    await page.getByRole("button", { name: "Save draft" }).click();
    await expect.poll(() => mainText(page)).toContain("The draft is saved.");
  });

  it("keeps new mail although the response to an earlier read of the page arrives after that of a later one", async () => {
    const { page } = await mail.open();
    await page.goto(mail.path("/INBOX"));
    await page.locator("html[data-connected]").waitFor();
    const [held, earlier] = [Promise.withResolvers<void>(), Promise.withResolvers<Request>()];
    const hold = async (route: Route) => {
      const response = await route.fetch();
      earlier.resolve(route.request());
      await held.promise;
      await route.fulfill({ response });
    };
    await page.route(`**${mail.path("/INBOX")}`, hold, { times: 1 });
    await mail.receive({ subject: "Read earlier" });
    const request = await earlier.promise;
    await mail.receive({ subject: "Read later" });
    await expect.poll(() => rowsOf(page)).toContain("Read later");
    const arrived = page.waitForEvent("requestfinished", (finished) => finished === request);
    held.resolve();
    await arrived;
    // A further read ends after the page has used the response before it.
    await page.evaluate(async (url) => (await fetch(url)).text(), page.url());
    expect(await rowsOf(page)).toContain("Read later");
  });

  it("shows changes in two tabs as they happen, and keeps focus and selection", async () => {
    const uid = await mail.receive({ subject: "Already here" });
    const first = await mail.open();
    const other = await first.context.newPage();
    for (const page of [first.page, other]) {
      await page.goto(mail.path("/INBOX"));
      await page.locator("html[data-connected]").waitFor();
    }
    await first.page.getByRole("checkbox", { name: "Select Already here" }).check();
    await other.bringToFront();
    await mail.receive({ subject: "Just arrived" });
    await expect.poll(() => rowsOf(other)).toContain("Just arrived");
    await first.page.bringToFront();
    await expect.poll(() => rowsOf(first.page)).toContain("Just arrived");
    expect(await first.page.getByRole("checkbox", { name: "Select Already here" }).isChecked()).toBe(true);
    expect(await first.page.locator("#folders").textContent()).toMatch(/\d+ new/);
    await mail.call("POST", "/messages/batch", { folder: "INBOX", uids: [uid], action: "delete" });
    await expect.poll(() => rowsOf(first.page)).not.toContain("Already here");
    await first.context.close();
  });

  it("saves a draft and its files while it is written, and nothing is lost by a reload", async () => {
    const { page } = await mail.open();
    await page.goto(mail.composePath);
    await page.fill("[name=to]", "friend@example.org");
    await page.fill(".editor", "Saved by itself");
    await page.locator("[data-save-status]", { hasText: "Draft saved." }).waitFor();
    await attach(page, "notes.txt");
    await page.waitForURL("**?draft=*");
    await page.reload();
    expect(await page.locator(".editor").textContent()).toBe("Saved by itself");
    expect(await filesOf(page)).toEqual(["notes.txt"]);
  });

  it("writes a reply below the conversation, with files that are dropped and removed, in five steps from the list", async () => {
    await mail.receive({ subject: "Send me the plans", text: "Both, please." });
    const { page, problems } = await mail.open();
    await page.goto(mail.path("/INBOX"));
    // Open, reply, write, choose the files and send: as many as before, but the message stays in sight.
    await page.getByRole("link", { name: "Send me the plans" }).click();
    await page.getByRole("link", { name: "Reply", exact: true }).click();
    await page.locator(".editor:focus").waitFor();
    await page.keyboard.type("Here they are.");
    await dropFiles(page, ["north.txt", "south.txt"]);
    await expect.poll(() => filesOf(page)).toEqual(["north.txt", "south.txt"]);
    await page.waitForURL("**/INBOX/*?draft=*");
    await dropFiles(page, ["wrong.txt"]);
    await expect.poll(() => filesOf(page)).toEqual(["north.txt", "south.txt", "wrong.txt"]);
    await page.getByRole("button", { name: "Remove wrong.txt" }).click();
    expect(await page.locator(".conversation").textContent()).toContain("Both, please.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.waitForURL("**/INBOX/*?sent=**");
    expect(await page.locator(".conversation").textContent()).toMatch(
      /Both, please\..*Sending.*Here they are\..*Stop sending/s,
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await page.waitForURL("**?draft=*");
    expect(await filesOf(page)).toEqual(["north.txt", "south.txt"]);
    expect(problems).toEqual([]);
  });

  it("completes addresses that the mailbox has written to, also after a comma", async () => {
    const { page } = await mail.open();
    await page.goto(mail.composePath);
    await page.fill("[name=to]", "often@example.org");
    await page.fill(".editor", "Hello");
    await page.getByRole("button", { name: "Send without undo" }).click();
    await page.waitForURL((url) => !url.pathname.startsWith("/mail/compose"));
    const offered = () =>
      page.locator("datalist option").evaluateAll((all) => all.map((one) => one.getAttribute("value")));
    // The copy in Sent, which names the address, is written after the response.
    await expect
      .poll(async () => {
        await page.goto(mail.composePath);
        return offered();
      })
      .toContain("often@example.org");
    await page.locator("[name=to]").pressSequentially("first@example.org, o");
    expect(await offered()).toContain("first@example.org, often@example.org");
    await page.locator("[name=to]").fill("");
    expect(await offered()).toContain("often@example.org");
  });

  it("asks in a dialog before it deletes for good, and does nothing when it is cancelled", async () => {
    const uid = await mail.receive({ subject: "For good" });
    await mail.call("POST", "/messages/batch", { folder: "INBOX", uids: [uid], action: "delete" });
    const { page } = await mail.open();
    await page.goto(mail.path("/Trash"));
    const select = async () => {
      await page.getByRole("checkbox", { name: "Select For good" }).check();
      await page.locator("main").getByRole("button", { name: "Delete for good" }).click();
    };
    await select();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await mail.subjects("Trash")).toContain("For good");
    await select();
    await page.locator("dialog").getByRole("button", { name: "Delete for good" }).click();
    await page.getByText("1 message deleted for good.").waitFor();
    expect(await mail.subjects("Trash")).not.toContain("For good");
  });

  it.each(["Asia/Tokyo", "America/New_York"])("shows times in the zone of the browser, %s", async (timezoneId) => {
    const uid = await mail.receive({ subject: "Time" });
    const { page, context } = await mail.open({ timezoneId });
    const time = page.locator("article time");
    // The first page tells the server the zone, which then writes times in it.
    for (const visit of ["first", "second"]) {
      await page.goto(mail.path(`/INBOX/${uid}`));
      const at = new Date((await time.getAttribute("datetime")) ?? "");
      const options = { timeZone: timezoneId, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
      const clock = new Intl.DateTimeFormat("en-GB", options).format(at);
      await expect.poll(() => time.textContent(), { message: visit }).toMatch(new RegExp(`, ${clock}$`));
      expect(await time.getAttribute("title")).toMatch(/ UTC$/);
    }
    const shown = await time.textContent();
    const cookies = await context.cookies();
    expect(cookies.find(({ name }) => name === "tz")?.value).toBe(timezoneId);
    const plain = await mail.open({ javaScriptEnabled: false });
    await plain.context.addCookies(cookies.filter(({ name }) => name === "tz"));
    await plain.page.goto(mail.path(`/INBOX/${uid}`));
    expect(await plain.page.locator("article time").textContent()).toBe(shown);
    await plain.context.close();
  });
});

/** Chooses a file in the form that writes a message, and waits until the script has attached it. */
async function attach(page: Page, name: string): Promise<void> {
  await page.setInputFiles("[name=upload]", { name, mimeType: "text/plain", buffer: Buffer.from("notes") });
  await page.getByRole("button", { name: `Remove ${name}` }).waitFor();
}

const focusedText = async (page: Page) => (await page.locator(":focus").first().textContent({ timeout: 500 }))?.trim();

/** Selects the first message and opens a menu of the toolbar. */
async function openMenu(page: Page, name: string): Promise<void> {
  await page.locator("ul.messages input[type=checkbox]").first().check();
  await page.getByRole("button", { name, exact: true }).click();
}

/** Fails unless a toolbar has this number of icons in one row, each with a name and a tooltip, inside of the window. */
async function expectOneRow(page: Page, toolbar: string, count: number): Promise<void> {
  const icons = await page.locator(`${toolbar} .bare:visible`).evaluateAll((all) =>
    all.map((icon) => {
      const { top, right, width, height } = icon.getBoundingClientRect();
      const isLarge = width >= 24 && height >= 24;
      return {
        top,
        fits: right <= icon.ownerDocument.documentElement.clientWidth && isLarge,
        named: Boolean(icon.ariaLabel && icon.title),
      };
    }),
  );
  expect(icons).toHaveLength(count);
  expect(new Set(icons.map(({ top }) => top)).size).toBe(1);
  expect(icons.every(({ fits, named }) => fits && named)).toBe(true);
}

/** Fails unless the button that writes a message is in the window. */
async function expectReachable(page: Page): Promise<void> {
  await expect.poll(() => page.locator("main a.write").boundingBox()).toMatchObject({ width: expect.any(Number) });
  const box = await page.locator("main a.write").boundingBox();
  expect((box?.y ?? 1_000) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
}

/** Returns the names of the files of the message that is written. */
const filesOf = (page: Page) => page.locator("#files li > span:first-of-type").allTextContents();

/** Drops text files on the form that writes a message. */
const dropFiles = (page: Page, names: readonly string[]) =>
  page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    for (const name of ${JSON.stringify(names)}) dataTransfer.items.add(new File(["A plan"], name, { type: "text/plain" }));
    document.querySelector(".editor").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  })()`);
