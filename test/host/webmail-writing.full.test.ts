/** Writing with formatting in Chromium, by keyboard, under the policy of the pages. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite, pressOn } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";
import { webmailOf } from "./support/webmail.ts";

const site = perSuite(() => openSite("writing.test"));
const mail = perSuite(() => webmailOf(site));

const editorOf = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true });
const htmlOf = (page: Page) => page.locator(".editor").innerHTML();
const pressed = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed");

/** Opens the page that writes a message, and waits for its editor. */
async function write(query = "", { isPlain = false } = {}) {
  const opened = await mail.open();
  await opened.page.goto(`${mail.composePath}${query}`);
  if (!isPlain) await opened.page.locator(".editor").waitFor();
  return opened;
}

/** Puts HTML and text into the clipboard event of the editor, as another program does. */
const paste = (page: Page, html: string, text: string) =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/html", ${JSON.stringify(html)});
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.querySelector(".editor").dispatchEvent(event);
  })()`);

describe.skipIf(chromiumUnavailable() !== null)("writing in Chromium", () => {
  it("sends by keyboard alone what is bold, a list, a link and a quote, and its plain text, without a report of the policy", async () => {
    const { page, problems } = await write();
    await page.locator("[name=to]").focus();
    await page.keyboard.type("friend@example.org");
    await page.locator("[name=subject]").focus();
    await page.keyboard.type("Formatted");
    await editorOf(page).focus();
    await page.keyboard.type("Dear ");
    await page.keyboard.press("Control+b");
    expect(await pressed(page, "Bold")).toBe("true");
    await page.keyboard.type("Ada");
    await page.keyboard.press("Control+b");
    await page.keyboard.type(", see ");
    await page.keyboard.press("Control+k");
    await page.getByLabel("Web or email address").waitFor();
    await page.keyboard.type("example.com/help");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    for (const [name, text] of [
      ["Bulleted list", "first"],
      ["Quote", "said"],
    ] as const) {
      // The buttons of the toolbar are one stop of Tab, after the text.
      await page.keyboard.press("Tab");
      for (let presses = 0; presses < 8; presses++)
        if ((await page.locator(":focus").getAttribute("aria-label")) !== name) await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await page.locator(".editor:focus").waitFor();
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
    }
    await page.keyboard.press("Control+Shift+Enter");
    await page.waitForURL("**sent=now**");
    expect(problems).toEqual([]);
    await expect.poll(() => mail.subjects("Sent"), { timeout: 20_000 }).toContain("Formatted");
    const message = await mail.newest("Sent");
    expect(message.html).toMatch(
      /Dear\s<b>Ada<\/b>, see\s<a href="https:\/\/example\.com\/help"[^>]*>example\.com\/help<\/a>/,
    );
    expect(message.html).toMatch(/<ul><li>(?:<div>)?first/);
    expect(message.html).toMatch(/<blockquote><div>said/);
    expect(message.text).toMatch(/^Dear Ada, see example\.com\/help\r\n- first\r\n> said/);
  });

  it("goes on where was typed before the editor was loaded", async () => {
    const { page } = await mail.open();
    let load = () => {};
    const isLoaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route("**/assets/editor-*", async (route) => {
      await isLoaded;
      await route.continue();
    });
    await page.goto(mail.composePath);
    await page.locator("[name=text]").focus();
    await page.keyboard.type("First line");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Bfore");
    for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowLeft");
    load();
    await page.locator(".editor:focus").waitFor();
    await page.keyboard.type("e");
    expect(await htmlOf(page)).toMatch(/First line.*Before/s);
  });

  it("takes only formatting of what is pasted, runs nothing of it, and shows which formats the cursor is in", async () => {
    const { page, problems } = await write();
    await editorOf(page).focus();
    await paste(
      page,
      '<meta charset="utf-8"><b style="font-weight:normal" id="docs-internal-guid"><p style="color:red">One ' +
        '<span style="font-weight:700">two</span></p></b><img src="https://tracker.example/a.png" onerror="alert(1)">' +
        '<script>alert(2)</script><a href="javascript:alert(3)">three</a>',
      "One two three",
    );
    await expect.poll(() => htmlOf(page)).toContain("<b>two</b>");
    const html = await htmlOf(page);
    for (const part of ["style", "img", "script", "onerror", "javascript"]) expect(html).not.toContain(part);
    await page.locator(".editor b").click();
    await expect.poll(() => pressed(page, "Bold")).toBe("true");
    expect(await pressed(page, "Italic")).toBe("false");
    expect(problems).toEqual([]);
  });

  it("changes between formatting and plain text, keeps both while nothing is edited, and remembers the choice", async () => {
    const { page } = await write();
    await editorOf(page).focus();
    await page.keyboard.type("One ");
    await page.keyboard.press("Control+i");
    await page.keyboard.type("two");
    await page.getByRole("button", { name: "Plain text" }).click();
    expect(await page.locator("[name=text]").inputValue()).toBe("One two");
    await page.getByRole("button", { name: "Rich text" }).click();
    expect(await htmlOf(page)).toMatch(/One(?: |&nbsp;)<i>two<\/i>/);
    await page.getByRole("button", { name: "Plain text" }).click();
    await page.locator("[name=text]").fill("> quoted\nmine");
    await page.locator("[data-save-status]", { hasText: "Draft saved." }).waitFor();
    await page.reload();
    expect((await page.locator("[name=text]").inputValue()).trimEnd()).toBe("> quoted\nmine");
    await page.goto(mail.composePath);
    await page.locator('[data-shown="plain"]').waitFor();
    await page.getByRole("button", { name: "Rich text" }).click();
    await page.locator(".editor").waitFor();
  });

  it("continues a draft with its formatting, and asks before a changed signature is left", async () => {
    const { page } = await write();
    await editorOf(page).focus();
    await page.keyboard.press("Control+u");
    await page.keyboard.type("Kept");
    await page.keyboard.press("Control+u");
    await page.keyboard.press("Enter");
    await page.keyboard.type("plain");
    await page.locator("[data-save-status]", { hasText: "Draft saved." }).waitFor();
    await page.reload();
    await expect.poll(() => htmlOf(page)).toMatch(/<u>Kept<\/u>(?:<br>)?<\/div><div>plain/);
    await page.goto(`/mail/signature/${site.workspace.mailboxId}`);
    const asked = page.waitForEvent("dialog");
    await page.locator(".editor").pressSequentially("Ada");
    const left = page.goto(mail.composePath).catch(() => null);
    await (await asked).dismiss();
    await left;
    await pressOn(page, "Save signature");
    await page.goto(mail.composePath);
    await expect.poll(() => page.locator(".editor").textContent()).toContain("Ada");
  });

  it("has no accessibility issue, console error, foreign request or sideways scroll in its settings, in any look", async () => {
    const { page, problems } = await mail.open();
    await mail.createAppPassword("Phone ".repeat(15).trim());
    await mail.call("PUT", "/blocked-senders", { emails: ["spam@example.org", `${"long".repeat(15)}@example.org`] });
    for (const [name, title] of [
      ["signature", "Signature"],
      ["auto-reply", "Automatic reply"],
      ["blocked-senders", "Blocked senders"],
      ["password", "Password"],
      ["mail-programs", "Mail programs"],
      ["keyboard", "Keyboard shortcuts"],
    ] as const) {
      await page.goto(`/mail/${name}/${site.workspace.mailboxId}`);
      if (name === "signature") await page.locator(".editor").waitFor();
      expect(await page.title(), name).toBe(`${title} · ${site.workspace.mailbox}`);
      expect(await findIssues(page), name).toEqual([]);
      expect(problems, name).toEqual([]);
    }
  });

  it("works without scripts as plain text, also a draft that has formatting", async () => {
    await mail.call("POST", "/drafts", {
      to: ["ada@example.org"],
      subject: "Rich draft",
      html: "<p>One <b>two</b></p>",
    });
    const { page } = await mail.open({ javaScriptEnabled: false });
    await page.goto(mail.path("/Drafts"));
    await page.getByRole("link", { name: "Rich draft" }).click();
    expect(await page.locator("[name=text]").inputValue()).toContain("One two");
    await page.locator("[name=text]").fill("Three");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("The draft is saved.").waitFor();
    const draft = await mail.newest("Drafts");
    expect([draft.text.trim(), draft.html]).toEqual(["Three", null]);
  });
});
