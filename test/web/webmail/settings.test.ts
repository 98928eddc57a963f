import { describe, expect, it } from "vitest";
import { readAudit } from "../../support/audit.ts";
import { PASSWORD } from "../../support/hashed-password.ts";
import { aSession } from "../../support/sessions.ts";
import { browser } from "../../support/sign-ins.ts";
import { aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { aMailbox, toText } from "./support.ts";

const box = perTest(aMailbox);

const PAGES = [
  ...["signature", "auto-reply", "filters", "aliases", "blocked-senders", "password", "keyboard", "import", "export"],
  "folders",
];
const pathOf = (page: string, id = box.workspace.mailboxId) => `/mail/${page}/${id}`;
const api = (method: string, path: string, body?: unknown) =>
  box.workspace.call(method, `/v1/inbox/${box.workspace.mailboxId}${path}`, body);
const NEW = "another long password";

describe("the settings of a mailbox", () => {
  it("refuse those of another mailbox, whether it exists or not, also to change them", async () => {
    const other = await aWorkspace();
    for (const id of [other.mailboxId, crypto.randomUUID()])
      for (const page of PAGES) {
        expect((await box.page.get(pathOf(page, id))).status, page).toBe(403);
        if (page === "keyboard" || page === "export") continue;
        const fields = { email: "a@example.org", action: "block", text: "a", current: PASSWORD, password: NEW };
        expect((await box.page.post(pathOf(page, id), fields)).status, page).toBe(403);
      }
  });

  it("are reached from each other, and from the menu", async () => {
    const { html } = await box.read(box.path("/INBOX"));
    expect(html).toContain(pathOf("signature"));
    const settings = (await box.read(pathOf("signature"))).html;
    for (const page of PAGES.filter((name) => name !== "export")) expect(settings, page).toContain(pathOf(page));
    expect((await box.read(pathOf("import"))).html).toContain(`${pathOf("export")}?format=zip`);
  });
});

describe("the automatic reply", () => {
  const fields = (changes: Record<string, string> = {}) => ({
    ...{ is_active: "on", starts_at: "", ends_at: "2030-01-02T08:30", ends_at_zone: "Asia/Tokyo" },
    ...{ subject: "Away", text: "I am back in January." },
    ...changes,
  });

  it("is set as the API has it, in the zone of the form, and shown again", async () => {
    const saved = await box.page.post(pathOf("auto-reply"), fields());
    expect(saved.headers.get("Location")).toBe(`${pathOf("auto-reply")}?done=on`);
    expect(await (await api("GET", "/auto-reply")).json()).toEqual({
      ...{ is_active: true, starts_at: null, ends_at: "2030-01-01T23:30:00.000Z" },
      ...{ subject: "Away", text: "I am back in January." },
    });
    const { html } = await box.read(pathOf("auto-reply"));
    for (const part of [" checked", 'value="Away"', "I am back in January."]) expect(html).toContain(part);
    await box.page.post(pathOf("auto-reply"), fields({ is_active: "" }));
    expect(await (await api("GET", "/auto-reply")).json()).toMatchObject({
      is_active: false,
      text: "I am back in January.",
    });
  });

  it("is refused without a text and with an end before its start, and keeps what was filled in", async () => {
    for (const [changes, part] of [
      [{ text: "" }, 'value="Away"'],
      [{ starts_at: "2031-01-01T00:00", starts_at_zone: "UTC" }, "I am back in January."],
    ] as const) {
      const refused = await box.page.post(pathOf("auto-reply"), fields(changes));
      expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(part)]);
    }
    expect(await (await api("GET", "/auto-reply")).json()).toMatchObject({ text: "" });
  });
});

describe("blocked senders", () => {
  const post = (fields: Record<string, string>) => box.page.post(pathOf("blocked-senders"), fields);

  it("are added and removed one by one, and their mail goes to Spam", async () => {
    expect((await box.read(pathOf("blocked-senders"))).text).toContain("No address is blocked.");
    await api("PUT", "/blocked-senders", { emails: ["first@example.org"] });
    const blocked = await post({ action: "block", email: "Ada@Example.org" });
    expect(blocked.headers.get("Location")).toBe(`${pathOf("blocked-senders")}?done=blocked`);
    expect((await box.read(pathOf("blocked-senders"))).text).toContain("ada@example.org");
    await box.receive();
    expect(await box.list("Spam")).toHaveLength(1);
    await post({ action: "unblock", email: "ada@example.org" });
    expect(await (await api("GET", "/blocked-senders")).json()).toEqual({ emails: ["first@example.org"] });
  });

  it("have valid addresses, and are at most 1,000", async () => {
    const refused = await post({ action: "block", email: "no address" });
    const html = await refused.text();
    expect([refused.status, html.includes('value="no address"')]).toEqual([422, true]);
    const emails = Array.from({ length: 1_000 }, (_, n) => `person${n}@example.org`);
    await api("PUT", "/blocked-senders", { emails });
    expect((await post({ action: "block", email: "person7@example.org" })).status).toBe(303);
    const full = await post({ action: "block", email: "new@example.org" });
    expect([full.status, toText(await full.text())]).toEqual([409, expect.stringContaining("at most 1000")]);
  });
});

describe("the password of a mailbox", () => {
  const change = (current: string, password = NEW) => box.page.post(pathOf("password"), { current, password });
  const signIn = async (password: string) => {
    const page = browser();
    const response = await page.post("/mail/sign-in", { email: box.workspace.mailbox, password });
    return { page, status: response.status };
  };
  const isOpen = async (page: ReturnType<typeof browser>) => (await page.get(box.path("/INBOX"))).status === 200;

  it("is changed by the current one: this session stays, all others end, and the old password opens nothing", async () => {
    const { page: other } = await signIn(PASSWORD);
    expect(await isOpen(other)).toBe(true);
    const changed = await change(PASSWORD);
    expect(changed.headers.get("Location")).toBe(`${pathOf("password")}?done=changed`);
    expect([await isOpen(box.page), await isOpen(other)]).toEqual([true, false]);
    delete box.page.jar.mailbox;
    expect(await isOpen(box.page)).toBe(true);
    expect([(await signIn(PASSWORD)).status, (await signIn(NEW)).status]).toEqual([422, 303]);
    expect((await readAudit(box.workspace)).map(({ action }) => action)).toContain("mailbox.password_changed");
  });

  it("is the mailbox's own when it is changed by the current one: it outlives the right of who set the one before", async () => {
    const { workspace } = box;
    const member = await aMember(workspace, "member");
    const assignees = `/v1/mailboxes/${workspace.mailboxId}/assignees`;
    await workspace.call("PUT", assignees, { user_ids: [member.userId] });
    const session = await aSession({ ...workspace, userId: member.userId });
    const set = await session.call("POST", pathOf("password"), `password=${encodeURIComponent(PASSWORD)}`, {
      "Content-Type": "application/x-www-form-urlencoded",
    });
    expect(set.headers.get("Location")).toBe(`${pathOf("password")}?done=changed`);
    const { page } = await signIn(PASSWORD);
    await page.post(pathOf("password"), { current: PASSWORD, password: NEW });
    await workspace.call("PUT", assignees, { user_ids: [] });
    await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}/members/${member.userId}`);
    expect((await signIn(NEW)).status).toBe(303);
  });

  it("stays when the current one is wrong or the new one is short, and shows neither", async () => {
    for (const [current, password] of [
      ["a wrong password", NEW],
      [PASSWORD, "too few"],
    ] as const) {
      const refused = await change(current, password);
      const html = await refused.text();
      expect([refused.status, html.includes(current), html.includes(password)]).toEqual([422, false, false]);
    }
    expect([await isOpen(box.page), (await signIn(PASSWORD)).status]).toEqual([true, 303]);
  });

  it("can be guessed no more often than at the sign-in", async () => {
    for (let n = 0; n < 10; n++) expect((await change(`wrong password ${n}`)).status).toBe(422);
    expect((await change(PASSWORD)).status).toBe(429);
  });

  it("of a mailbox is no business of a member without the assignment", async () => {
    const member = await aMember(box.workspace, "member");
    const session = await aSession({ ...box.workspace, userId: member.userId });
    expect((await session.call("GET", pathOf("password"))).status).toBe(403);
  });
});

describe("the export", () => {
  it("has the messages, as a ZIP archive or an mbox file, and nothing without a session", async () => {
    await box.receive({ Subject: "Kept for good" }, "A text\r\n");
    const mbox = await box.page.get(`${pathOf("export")}?format=mbox`);
    expect(mbox.headers.get("Content-Disposition")).toContain(`${box.workspace.mailbox}.mbox`);
    expect(await mbox.text()).toContain("Subject: Kept for good");
    const zip = await box.page.get(pathOf("export"));
    expect(zip.headers.get("Content-Type")).toBe("application/zip");
    expect(new Uint8Array(await zip.arrayBuffer()).slice(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]));
    expect((await apiWith(null).get(pathOf("export"))).status).toBe(303);
  });
});
