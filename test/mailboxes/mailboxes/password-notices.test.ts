import { describe, expect, it } from "vitest";
import { PASSWORD } from "../../support/hashed-password.ts";
import { aSession } from "../../support/sessions.ts";
import { browser, systemEmails } from "../../support/sign-ins.ts";
import { aSystemWorkspace } from "../../support/transfers.ts";
import { aMember, aWorkspace, perSuite, perTest, until } from "../../support/workspace.ts";
import { anAppPassword } from "../app-passwords/support.ts";

const system = perSuite(aSystemWorkspace);
const workspace = perTest(aWorkspace);
const path = (rest: string) => `/v1/mailboxes/${workspace.mailboxId}/${rest}`;

/** Returns how often the system has told about a new password of the mailbox, once it has at least `least` times. */
const notices = async (least: number) => {
  const told = async () => (await systemEmails(system, 0)).filter((text) => text.includes(workspace.mailbox));
  return (await until(told, (texts) => texts.length >= least)).length;
};

describe("those assigned to a mailbox", () => {
  it("are told by mail when another person makes a password or an app password for it", async () => {
    const [one, two] = [await aMember(workspace, "member"), await aMember(workspace, "member")];
    await workspace.call("PUT", path("assignees"), { user_ids: [one.userId, two.userId] });
    await workspace.call("PUT", path("password"), { password: PASSWORD });
    expect(await notices(2)).toBe(2);
    await anAppPassword(workspace);
    expect(await notices(4)).toBe(4);
    const session = await aSession({ ...workspace, userId: one.userId });
    await session.call("PUT", path("password"), { password: PASSWORD });
    expect(await notices(5)).toBe(5);
    const mails = await systemEmails(system, 5);
    expect(mails.filter((text) => text.includes(`owner@${workspace.domain} made a password`))).toHaveLength(4);
    expect(mails.filter((text) => text.includes(`${one.email} made a password`))).toHaveLength(1);
  });

  it("are not told of a password that the mailbox itself changes", async () => {
    const member = await aMember(workspace, "member");
    await workspace.call("PUT", path("password"), { password: PASSWORD });
    await workspace.call("PUT", path("assignees"), { user_ids: [member.userId] });
    const page = browser();
    await page.post("/mail/sign-in", { email: workspace.mailbox, password: PASSWORD });
    const fields = { current: PASSWORD, password: "another long password" };
    expect((await page.post(`/mail/password/${workspace.mailboxId}`, fields)).status).toBe(303);
    await anAppPassword(workspace);
    expect(await notices(1)).toBe(1);
  });
});

it("the page of a mailbox says when its password was set, and by whom", async () => {
  const session = await aSession(workspace);
  const page = async () =>
    (await (await session.get(`/app/mailboxes/${workspace.mailboxId}`)).text())
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ");
  expect(await page()).toContain("Password Not set");
  const member = await aMember(workspace, "admin");
  await (await aSession({ ...workspace, userId: member.userId })).call("PUT", path("password"), { password: PASSWORD });
  expect(await page()).toMatch(new RegExp(`Password Set \\S.* by ${member.email}`));
  const elsewhere = await aSession(await aWorkspace());
  expect((await elsewhere.get(`/app/mailboxes/${workspace.mailboxId}`)).status).toBe(404);
});
