/** A mailbox that two people answer together, in two browsers and a mail program. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { ImapClient } from "./support/imap-client.ts";
import { openSite } from "./support/pages.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { perSuite } from "./support/suite.ts";
import { webmailOf } from "./support/webmail.ts";

const [ADA, GRACE] = ["Ada Lovelace", "Grace Brewster-Murray Hopper"] as const;
const PATIENCE = { timeout: 15_000 };

const site = perSuite(() => openSite("together.test"));
const mail = perSuite(() => webmailOf(site));
let rig: GatewayRig;
beforeAll(async () => {
  rig = await startRig("together-gateway.test", {}, { imap: [{ port: 0, isImplicitTls: true }] });
}, 120_000);
afterAll(async () => {
  await rig?.close();
});

/** Sends a message of a customer to the mailbox. */
async function receive(...header: string[]) {
  const mx = await SmtpClient.connect(rig.ports.mx);
  await mx.command("EHLO mail.example.org");
  expect(await mx.begin("customer@example.org", site.workspace.mailbox)).toMatch(/^354/);
  mx.write(`${["From: customer@example.org", ...header].join("\r\n")}\r\n\r\nMine has not come.\r\n.\r\n`);
  expect(await mx.reply()).toMatch(/^250/);
  mx.end();
}

/** Makes a second person of the mailbox, and returns a browser of each. */
async function twoPeople() {
  const { ctx, workspace, call } = site;
  const member = await site.addMember();
  const rename = ctx.db.prepare("UPDATE users SET name = ?2 WHERE id = ?1");
  await ctx.db.batch([rename.bind(workspace.userId, ADA), rename.bind(member, GRACE)]);
  await call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids: [workspace.userId, member] });
  const open = async (userId: string, width: number, height: number) => {
    const opened = await site.open({ viewport: { width, height } });
    await opened.context.addCookies(await site.signIn(userId));
    return opened;
  };
  return { ada: await open(workspace.userId, 1280, 720), grace: await open(member, 390, 844) };
}

/** Opens the newest conversation of the inbox, whose changes are shown from then on. */
async function openNewest(page: Page) {
  await page.goto(mail.path("/INBOX"));
  await page.locator("main .list a, main .rows a, main li a").filter({ hasText: "Where is my parcel" }).first().click();
  await page.locator("html[data-connected]").waitFor({ state: "attached", ...PATIENCE });
}

async function searchByKeyword(keyword: string): Promise<string> {
  const port = rig.gateway.ports.imap[0] ?? 0;
  const { client } = await ImapClient.connect({ port, caFile: rig.caFile });
  await client.command(`LOGIN ${site.workspace.mailbox} "${await site.mailboxPassword()}"`);
  await client.command("SELECT INBOX");
  const lines = await client.command(`SEARCH KEYWORD ${keyword}`);
  await client.command("LOGOUT");
  return lines[0] ?? "";
}

describe.skipIf(chromiumUnavailable() !== null)("a mailbox of two people", () => {
  it("shows each what the other does, within seconds, and mail programs who cares", async () => {
    await mail.call("POST", "/saved-replies", { name: "On its way", text: "It left us this morning." });
    await receive("Message-ID: <parcel@example.org>", "Subject: Where is my parcel?");
    const { ada, grace } = await twoPeople();
    for (const { page } of [ada, grace]) await openNewest(page);

    await ada.page.getByLabel("Assigned to").selectOption({ label: GRACE });
    await ada.page.getByRole("button", { name: "Assign", exact: true }).click();
    await grace.page.getByText(`${ADA} assigned it to ${GRACE}`).waitFor(PATIENCE);
    expect(await searchByKeyword("$Assigned")).toContain("* SEARCH 1");

    await ada.page.getByText("Add a note").click();
    await ada.page.getByLabel("Note for the people of this mailbox").fill("She called twice today.");
    await ada.page.getByRole("button", { name: "Add note" }).click();
    await grace.page.getByText("She called twice today.").waitFor(PATIENCE);

    await grace.page.getByRole("link", { name: "Reply", exact: true }).click();
    await grace.page.getByText("Saved reply").click();
    await grace.page.getByRole("button", { name: "Insert" }).click();
    await expect.poll(() => grace.page.locator(".editor").textContent()).toContain("It left us this morning.");
    await grace.page.locator(".editor").pressSequentially("Yours, Grace. ");
    await ada.page.getByText(`${GRACE} is writing an answer`).waitFor(PATIENCE);
    for (const { page } of [ada, grace]) expect(await findIssues(page)).toEqual([]);
    await grace.page.getByRole("button", { name: "Send without undo" }).click();
    await ada.page.getByText(`${GRACE} is writing an answer`).waitFor({ state: "detached", ...PATIENCE });

    await openNewest(ada.page);
    await ada.page.getByRole("button", { name: "Close", exact: true }).click();
    await ada.page.getByText(`${ADA} closed it`).waitFor(PATIENCE);
    expect(await searchByKeyword("$Closed")).toContain("* SEARCH 1");
    await receive(
      "Message-ID: <again@example.org>",
      "In-Reply-To: <parcel@example.org>",
      "Subject: Re: Where is my parcel?",
    );
    await ada.page.getByText("A new message opened it again").waitFor(PATIENCE);
    expect(await searchByKeyword("$Closed")).toBe("* SEARCH");
    expect([...ada.problems, ...grace.problems]).toEqual([]);
  });
});
