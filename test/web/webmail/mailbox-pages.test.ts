import { describe, expect, it } from "vitest";
import { aRawMessage, deliver } from "../../mailboxes/inbound/support.ts";
import { readAudit } from "../../support/audit.ts";
import { openMailbox } from "../../support/mailbox-sessions.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const page = perTest(() => openMailbox(workspace));

const path = (suffix: string) => `/mail/${workspace.mailboxId}${suffix}`;
const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<");
const read = async (of: string) => {
  const response = await page.get(of);
  expect(response.status, of).toBe(200);
  return response.text();
};
const receive = (changes: Record<string, string> = {}, body?: string) =>
  deliver(workspace.mailbox, aRawMessage(changes, body));
const list = async (folder = "INBOX") =>
  (
    await (
      await workspace.call("GET", `/v1/inbox/${workspace.mailboxId}/messages?folder=${folder}`)
    ).json<{
      items: { uid: number; subject: string; seen: boolean; flagged: boolean; answered: boolean; message_id: string }[];
    }>()
  ).items;
const hidden = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
const emails = async () =>
  (await workspace.call("GET", "/v1/emails/")).json<
    { id: string; subject: string; status: string; to_addresses: string[] }[]
  >();

describe("the page to sign in", () => {
  it("has the address of its link, as text only", async () => {
    expect(await read("/mail/sign-in?email=ada%40example.test")).toContain('value="ada@example.test"');
    const html = await read("/mail/sign-in?email=%22%3E%3Cscript%3E");
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;"');
  });
});

describe("a folder", () => {
  it("shows its messages with sender, subject and preview, and finds one by its text", async () => {
    await receive({ Subject: "Invoice 42" }, "The figures of March\r\n");
    await receive({ Subject: "Lunch" }, "On Friday\r\n");
    const html = textOf(await read(path("/INBOX")));
    for (const part of ["Ada Lovelace", "Invoice 42", "The figures of March", "Lunch", "2 new"])
      expect(html).toContain(part);
    const found = textOf(await read(path("/INBOX?q=figures")));
    expect(found).toContain("Invoice 42");
    expect(found).not.toContain("Lunch");
    expect(textOf(await read(path("/INBOX?q=absent")))).toContain("No message in this folder contains");
    expect(textOf(await read(path("/Archive")))).toContain("No message is here. Archive what you have dealt with");
  });

  it("shows every message once, page by page", async () => {
    for (let number = 0; number < 53; number++) await receive({ Subject: `Notice ${number}.` });
    const first = await read(path("/INBOX"));
    const next = /href="([^"]*before=[^"]*)"/.exec(first)?.[1] ?? "";
    const second = await read(next.replaceAll("&amp;", "&"));
    const shown = [first, second].map((html) =>
      [...html.matchAll(/>Notice (\d+)\.</g)].map(([, number]) => Number(number)),
    );
    expect(shown.map((numbers) => numbers.length)).toEqual([50, 3]);
    expect(shown.flat()).toEqual(Array.from({ length: 53 }, (_, index) => 52 - index));
  });

  it("changes the selected messages together, and says when none is selected", async () => {
    await receive({ Subject: "One" });
    await receive({ Subject: "Two" });
    const form = new URLSearchParams([
      ["action", "move:Archive"],
      ["uid", "1"],
      ["uid", "2"],
    ]);
    const cookie = Object.entries(page.jar).map(([name, value]) => `${name}=${value}`);
    const headers = {
      "Content-Type": "application/x-www-form-urlencoded",
      "Sec-Fetch-Site": "same-origin",
      Cookie: cookie.join("; "),
    };
    const moved = await apiWith(null).call("POST", path("/INBOX"), `${form}`, headers);
    expect([moved.status, moved.headers.get("Location")]).toEqual([
      303,
      expect.stringContaining(path("/INBOX?done=move&n=2&to=Archive")),
    ]);
    expect((await list("Archive")).map(({ subject }) => subject).sort()).toEqual(["One", "Two"]);
    const none = await page.post(path("/Archive"), { action: "delete" });
    expect([none.status, textOf(await none.text())]).toEqual([
      422,
      expect.stringContaining("Select at least one message."),
    ]);
    expect(await list("Archive")).toHaveLength(2);
  });
});

describe("a message", () => {
  const html = `<p onclick="x()">Hello</p><script>x()</script><img src="https://tracker.example/a.png"><img src="cid:logo">`;
  const related = (body: string) =>
    `--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${body}\r\n--b\r\nContent-Type: image/png\r\n` +
    "Content-ID: <logo>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n";
  const receiveHtml = () => receive({ "Content-Type": 'multipart/related; boundary="b"' }, related(html));

  it("is marked as read when it is opened", async () => {
    await receive();
    expect((await list())[0]?.seen).toBe(false);
    await read(path("/INBOX/1"));
    expect((await list())[0]?.seen).toBe(true);
  });

  it("is shown in a sandboxed frame that loads its own images only, until the reader asks for the others", async () => {
    await receiveHtml();
    const shown = await read(path("/INBOX/1"));
    expect(shown).toContain('sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"');
    const response = await page.get(path("/INBOX/1/body"));
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("img-src data: 'self';");
    expect(policy).toContain("sandbox allow-popups");
    expect(policy).not.toContain("allow-scripts");
    const body = await response.text();
    for (const part of ["onclick", "<script", "tracker.example"]) expect(body).not.toContain(part);
    // The type of the pages comes first, so that a message with its own keeps that.
    expect(body).toMatch(/^<base target="_blank"><style>body\{font:14px.*Hello/s);
    const image = /src="(\/mail\/[^"]*)"/.exec(body)?.[1] ?? "";
    const file = await page.get(image);
    expect([file.status, file.headers.get("Content-Type"), (await file.arrayBuffer()).byteLength]).toEqual([
      200,
      "image/png",
      8,
    ]);
    const withImages = await page.get(path("/INBOX/1/body?images=1"));
    expect(withImages.headers.get("Content-Security-Policy")).toContain("img-src data: 'self' https: http:");
    expect(await withImages.text()).toContain("tracker.example");
  });

  it("can be downloaded as it was received", async () => {
    const raw = aRawMessage({ Subject: "Original" });
    await deliver(workspace.mailbox, raw);
    const response = await page.get(path("/INBOX/1/raw"));
    expect(response.headers.get("Content-Disposition")).toContain("attachment");
    expect(await response.text()).toContain("Subject: Original");
  });

  it("of another folder is unknown, and another mailbox is refused, whether it exists or not", async () => {
    await receive();
    const other = await aWorkspace();
    await deliver(other.mailbox, aRawMessage());
    for (const id of [other.mailboxId, crypto.randomUUID()])
      for (const foreign of [
        `/mail/${id}/INBOX`,
        `/mail/${id}/INBOX/1`,
        `/mail/${id}/INBOX/1/body`,
        `/mail/compose/${id}`,
        `/mail/scheduled/${id}`,
      ])
        expect((await page.get(foreign)).status, foreign).toBe(403);
    for (const unknown of [path("/Nowhere"), path("/INBOX/99"), path("/INBOX/x")])
      expect((await page.get(unknown)).status, unknown).toBe(404);
  });
});

describe("a new message", () => {
  const compose = () => `/mail/compose/${workspace.mailboxId}`;
  const fields = (changes: Record<string, string> = {}) => ({
    to: "friend@example.org",
    cc: "",
    bcc: "",
    subject: "Hello",
    text: "A text",
    in_reply_to: "",
    draft: "",
    idempotency_key: crypto.randomUUID(),
    action: "send",
    ...changes,
  });

  it("waits for a minute, and does not leave when it is stopped", async () => {
    const sent = await page.post(compose(), fields());
    expect([sent.status, sent.headers.get("Location")]).toEqual([303, expect.stringContaining(path("/INBOX?sent="))]);
    const scheduled = await read(`/mail/scheduled/${workspace.mailboxId}`);
    const id = hidden(scheduled, "email_id");
    expect(textOf(scheduled)).toContain("friend@example.org");
    const stopped = await page.post(`/mail/scheduled/${workspace.mailboxId}`, { email_id: id });
    expect(stopped.status).toBe(303);
    expect((await emails()).map(({ status }) => status)).toEqual(["cancelled"]);
    // Its text is not lost.
    const [draft] = await list("Drafts");
    const form = await read(`${compose()}?draft=${draft?.uid}`);
    expect(textOf(form)).toContain("A text");
    expect(hidden(form, "to")).toBe("");
    expect(form).toContain('value="friend@example.org"');
  });

  it("leaves at once when asked to, once however often the form is submitted", async () => {
    const form = fields({ action: "now", subject: "At once" });
    const responses = await Promise.all([
      page.post(compose(), form),
      page.post(compose(), form),
      page.post(compose(), form),
    ]);
    for (const result of responses) expect(result.headers.get("Location")).toBe(path("/INBOX?sent=now"));
    expect((await emails()).map(({ subject }) => subject)).toEqual(["At once"]);
  });

  it("leaves at a time that was chosen, until then as a draft, and names a time that cannot be", async () => {
    const later = (send_at: string) => fields({ action: "later", subject: "Later", send_at, send_at_zone: "UTC" });
    for (const time of ["", "2020-01-01T09:00", "2999-01-01T09:00", "never"]) {
      const refused = await page.post(compose(), later(time));
      const html = await refused.text();
      expect([400, 422], time).toContain(refused.status);
      for (const text of ["Later", 'role="alert"', '<details class="later" open']) expect(html, time).toContain(text);
    }
    expect(await emails()).toEqual([]);
    const at = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16);
    const sent = await page.post(compose(), later(at));
    expect(sent.headers.get("Location")).toBe(`/mail/scheduled/${workspace.mailboxId}?done=later`);
    expect(await emails()).toMatchObject([{ subject: "Later", status: "scheduled" }]);
    expect(await read(`/mail/scheduled/${workspace.mailboxId}`)).toContain(`"${at}:00`);
    expect(await list("Drafts")).toMatchObject([{ subject: "Later" }]);
  });

  it("keeps what was written when it cannot be sent, and names the fields", async () => {
    const refused = await page.post(compose(), fields({ to: "no address", text: "Keep me", action: "now" }));
    const html = await refused.text();
    expect([refused.status, html.includes("Keep me"), html.includes('href="#to"')]).toEqual([422, true, true]);
    expect(await emails()).toEqual([]);
  });

  it("returns a message in its conversation, to the right people, with the text quoted", async () => {
    await receive(
      { Subject: "Plan", To: `${workspace.mailbox}, grace@example.org`, "Message-ID": "<plan@example.org>" },
      "Shall we?\r\n",
    );
    const form = await read(`${compose()}?reply=all&folder=INBOX&uid=1`);
    expect(form).toContain('value="ada@example.org"');
    expect(form).toContain('value="grace@example.org"');
    expect(form).toContain('value="Re: Plan"');
    expect(textOf(form)).toContain("> Shall we?");
    const inReplyTo = hidden(form, "in_reply_to").replace("&lt;", "<").replace("&gt;", ">");
    await page.post(compose(), fields({ in_reply_to: inReplyTo, subject: "Re: Plan", action: "now" }));
    expect((await list())[0]?.answered).toBe(true);
    const forward = await read(`${compose()}?reply=forward&folder=INBOX&uid=1`);
    expect(textOf(forward)).toContain("---------- Forwarded message ----------");
    expect(forward).toContain('value="Fwd: Plan"');
  });

  it("is saved as a draft without a recipient, and a saved draft is replaced", async () => {
    const saved = await page.post(compose(), fields({ to: "", action: "draft" }));
    const uid = /draft=(\d+)/.exec(saved.headers.get("Location") ?? "")?.[1] ?? "";
    await page.post(compose(), fields({ draft: uid, subject: "Second version", action: "draft" }));
    expect((await list("Drafts")).map(({ subject }) => subject)).toEqual(["Second version"]);
  });

  it("cannot be stopped through another mailbox", async () => {
    await page.post(compose(), fields());
    const [email] = await emails();
    const other = await aWorkspace();
    const session = await openMailbox(other);
    const refused = await session.post(`/mail/scheduled/${other.mailboxId}`, { email_id: email?.id ?? "" });
    expect(refused.status).toBe(404);
    expect((await emails()).map(({ status }) => status)).toEqual(["scheduled"]);
  });
});

describe("a user of the dashboard", () => {
  it("opens an unassigned mailbox as owner, which is shown and recorded", async () => {
    const owner = await aSession(workspace);
    const html = await (await owner.call("GET", path("/INBOX"))).text();
    expect(textOf(html)).toContain("Opened as owner of the workspace. This is recorded in the audit log.");
    expect((await readAudit(workspace)).map(({ action }) => action)).toContain("opened as");
  });

  it("opens as a member the mailboxes assigned to it, and no other", async () => {
    const member = await aMember(workspace, "member");
    const session = await aSession({ ...workspace, userId: member.userId });
    expect(textOf(await (await session.call("GET", "/mail")).text())).toContain("No mailbox is assigned");
    expect((await session.call("GET", path("/INBOX"))).status).toBe(403);
    await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids: [member.userId] });
    expect(await (await session.call("GET", "/mail")).text()).toContain(path("/INBOX"));
    const html = await (await session.call("GET", path("/INBOX"))).text();
    expect(html).not.toContain("Opened as");
  });
});
