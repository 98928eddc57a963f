import { beforeEach, describe, expect, it } from "vitest";
import { anAppPassword, logInToImap } from "../../mailboxes/app-passwords/support.ts";
import { PASSWORD } from "../../support/hashed-password.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, apiOn, aWorkspace, perTest } from "../../support/workspace.ts";
import { aMailbox } from "./support.ts";

const box = perTest(aMailbox);
let path: string;

beforeEach(async () => {
  path = `/mail/mail-programs/${box.workspace.mailboxId}`;
});

/** Fills in the form that makes an app password. */
async function create(fields: Record<string, string> = {}) {
  const form = { action: "create", idempotency_key: crypto.randomUUID(), name: "Phone", current: PASSWORD, ...fields };
  const response = await box.page.post(path, form);
  return { response, html: await response.text() };
}
const passwordIn = (html: string) => /\b(?:[0-9a-z]{4}-){6}[0-9a-z]{4}\b/.exec(html)?.[0] ?? "";
const codeOf = async (password: string) => (await logInToImap(box.workspace.mailbox, password)).error?.code ?? "opened";

describe("the page of mail programs", () => {
  it("shows a new app password once, which opens the mailbox until it is deleted there", async () => {
    const { response, html } = await create({ name: "<b>Phone" });
    expect(response.status).toBe(200);
    const password = passwordIn(html);
    expect(await codeOf(password)).toBe("opened");
    const list = (await box.read(path)).html;
    expect([list.includes("&lt;b&gt;Phone"), list.includes(password), list.includes("last used")]).toEqual([
      true,
      false,
      true,
    ]);
    const id = /name="id" value="([^"]+)"/.exec(list)?.[1] ?? "";
    const deleted = await box.page.post(path, { action: "delete", id });
    expect([deleted.status, deleted.headers.get("Location")]).toEqual([303, `${path}?done=deleted`]);
    expect(await codeOf(password)).toBe("AUTHENTICATIONFAILED");
    expect((await box.read(`${path}?done=deleted`)).html).toContain("No app password yet.");
  });

  it("makes one app password of a form that is sent twice", async () => {
    const key = crypto.randomUUID();
    const [first, second] = [await create({ idempotency_key: key }), await create({ idempotency_key: key })];
    expect(passwordIn(second.html)).toBe(passwordIn(first.html));
    expect((await box.read(path)).html.match(/name="id"/g)).toHaveLength(1);
  });

  it("asks a session of the mailbox for its current password, whose wrong guesses count with those of webmail", async () => {
    for (const current of ["", "wrong"]) {
      const { response, html } = await create({ current });
      expect([response.status, html.includes("The password is wrong"), passwordIn(html)]).toEqual([422, true, ""]);
      expect(html).toContain('value="Phone"');
    }
    for (let n = 0; n < 8; n += 1) await create({ current: `wrong ${n}` });
    expect((await create()).response.status).toBe(429);
    expect((await logInToImap(box.workspace.mailbox, PASSWORD, "203.0.113.7")).error).toBeNull();
  });

  it("asks a user of the dashboard for no password, and refuses one who may not open the mailbox", async () => {
    const other = await aMember(box.workspace, "member");
    const [owner, member] = [await aSession(box.workspace), await aSession({ ...box.workspace, userId: other.userId })];
    const form = `${new URLSearchParams({ action: "create", idempotency_key: crypto.randomUUID(), name: "Phone" })}`;
    const post = (api: typeof owner) =>
      api.call("POST", path, form, { "Content-Type": "application/x-www-form-urlencoded" });
    expect(await (await owner.get(path)).text()).not.toContain('name="current"');
    const created = await post(owner);
    expect([created.status, await codeOf(passwordIn(await created.text()))]).toEqual([200, "opened"]);
    expect([(await member.get(path)).status, (await post(member)).status]).toEqual([403, 403]);
  });

  it("has the servers and the profile where the deployment offers IMAP", async () => {
    expect((await box.read(path)).html).not.toContain("profile.mobileconfig");
    const headers = {
      Cookie: Object.entries(box.page.jar)
        .map(([name, value]) => `${name}=${value}`)
        .join("; "),
    };
    const offered = apiOn({ IMAP_HOST: "imap.example.com", IMAP_STARTTLS_PORT: "143" }, null);
    const html = await (await offered.get(path, headers)).text();
    expect(html).toContain("imap.example.com, port 993, SSL/TLS or imap.example.com, port 143, STARTTLS");
    expect(html).toContain("smtp.mail.test, port 465, SSL/TLS or smtp.mail.test, port 587, STARTTLS");
    expect(html).toContain(`/mail/profile.mobileconfig?emailaddress=${encodeURIComponent(box.workspace.mailbox)}`);
  });

  it("changes nothing of another mailbox", async () => {
    const other = await aWorkspace();
    const { id, password } = await anAppPassword(other);
    for (const one of [other.mailboxId, crypto.randomUUID()]) {
      expect((await box.page.get(`/mail/mail-programs/${one}`)).status).toBe(403);
      expect((await box.page.post(`/mail/mail-programs/${one}`, { action: "delete", id })).status).toBe(403);
    }
    expect((await box.page.post(path, { action: "delete", id })).status).toBe(404);
    expect((await logInToImap(other.mailbox, password)).error).toBeNull();
  });

  it("keeps app passwords when the password is changed by the current one", async () => {
    const password = passwordIn((await create()).html);
    const changed = await box.page.post(`/mail/password/${box.workspace.mailboxId}`, {
      current: PASSWORD,
      password: "another long password",
    });
    expect(changed.status).toBe(303);
    expect(await codeOf(password)).toBe("opened");
  });

  it("refuses a form without a known action, a name or a key", async () => {
    expect((await box.page.post(path, { action: "x" })).status).toBe(400);
    expect((await create({ name: " " })).response.status).toBe(422);
    expect((await create({ idempotency_key: "" })).response.status).toBe(422);
  });
});
