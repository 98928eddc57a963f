/** The pages of filters and aliases in Chromium, by keyboard and without scripts. */
import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { openSite } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";
import { webmailOf } from "./support/webmail.ts";

const site = perSuite(() => openSite("filters.test"));
const mail = perSuite(() => webmailOf(site));

const filters = () => `/mail/filters/${site.workspace.mailboxId}`;
const listed = async () => mail.call<{ id: string; name: string; actions: unknown[] }[]>("GET", "/filters");

describe.skipIf(chromiumUnavailable() !== null)("filters in Chromium", () => {
  it("are made by keyboard alone, which reaches each field of the form in order", async () => {
    const { page, problems } = await mail.open();
    await page.goto(filters());
    await page.getByRole("link", { name: "New filter" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("[name=name]").focus();
    await page.keyboard.type("Bills");
    for (const key of ["Tab", "Tab", "s", "Tab", "Tab", "invoice"])
      await (key === "Tab" ? page.keyboard.press(key) : page.keyboard.type(key));
    await page.locator("[name=place]").focus();
    await page.keyboard.type("Move to Arch");
    await page.getByLabel("Flag it").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Save filter" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The filter is saved.").waitFor();
    expect(await listed()).toMatchObject([
      { name: "Bills", actions: [{ type: "move", folder: "Archive" }, { type: "flag" }] },
    ]);
    expect(problems).toEqual([]);
  });

  it("are ordered, turned off and deleted, and run over a folder", async () => {
    const body = {
      name: "Second",
      match: { conditions: [{ field: "size", op: "over", value: 1 }] },
      actions: [{ type: "flag" }],
    };
    await mail.call("POST", "/filters", body);
    const { page, problems } = await mail.open();
    await page.goto(filters());
    await page.getByRole("button", { name: "Move Second up" }).click();
    await page.getByText("The order is changed.").waitFor();
    expect((await listed()).map(({ name }) => name)).toEqual(["Second", "Bills"]);
    await page.getByRole("button", { name: "Turn off Second" }).click();
    await page.getByText("The filter is off.").waitFor();
    await page.getByRole("button", { name: "Apply filters" }).click();
    await page.getByText("The filters are applied in the background.").waitFor();
    await expect.poll(async () => (await mail.call<{ status: string }>("GET", "/filters/run")).status).toBe("done");
    await page.reload();
    expect(await page.getByRole("status").allTextContents()).toEqual([
      expect.stringMatching(/messages compared.*Done/s),
    ]);
    await page.getByRole("button", { name: "Delete Second" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The filter is deleted.").waitFor();
    expect((await listed()).map(({ name }) => name)).toEqual(["Bills"]);
    expect(problems).toEqual([]);
  });

  it("have no accessibility issue, console error, foreign request or sideways scroll on their pages, in any look", async () => {
    const conditions = [{ field: "subject", op: "contains", value: `${"long".repeat(40)}` }];
    await mail.call("POST", "/filters", { name: null, match: { conditions }, actions: [{ type: "mark_read" }] });
    await mail.call("POST", "/labels", { name: "Money", color: "#c0392b" });
    const alias = { address: `${"long".repeat(15)}@${site.workspace.mailbox.split("@")[1]}` };
    await mail.call("POST", `/../../mailboxes/${site.workspace.mailboxId}/aliases`, alias);
    const { page, problems } = await mail.open();
    for (const [path, title] of [
      [filters(), "Filters"],
      [`${filters()}/new`, "Filters"],
      [`${filters()}/${(await listed())[0]?.id}`, "Filters"],
      [`/mail/aliases/${site.workspace.mailboxId}`, "Aliases"],
    ] as const) {
      await page.goto(path);
      expect(await page.title(), path).toBe(`${title} · ${site.workspace.mailbox}`);
      expect(await findIssues(page), path).toEqual([]);
      expect(problems, path).toEqual([]);
    }
    expect(await page.getByText(alias.address).count()).toBe(1);
    await page.goto(mail.composePath);
    expect(await page.locator("[name=from] option").count()).toBe(2);
    expect(await findIssues(page)).toEqual([]);
  });

  it("work without scripts", async () => {
    const { page } = await mail.open({ javaScriptEnabled: false });
    await page.goto(`${filters()}/new?from=ada%40example.org`);
    await page.locator("[name=name]").fill("Plain");
    await page.getByLabel("Mark it as read").check();
    await page.getByRole("button", { name: "Save filter" }).click();
    await page.getByText("The filter is saved.").waitFor();
    expect((await listed()).map(({ name }) => name)).toContain("Plain");
  });
});
