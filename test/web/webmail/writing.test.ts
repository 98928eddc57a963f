import { describe, expect, it } from "vitest";
import { consumeQueues } from "../../support/queues.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aMailbox, toText, valuesOf } from "./support.ts";

consumeQueues("work");

const box = perTest(aMailbox);

const compose = (fields: Record<string, string>) =>
  box.submit(`/mail/compose/${box.workspace.mailboxId}`, [
    ...Object.entries({ idempotency_key: crypto.randomUUID(), to: "friend@example.org", subject: "Hello", ...fields }),
  ]);
const open = async (query: string) => (await box.read(`/mail/compose/${box.workspace.mailboxId}?${query}`)).html;
/** Returns what a field of several lines has. The second one is the HTML. */
const areasOf = (html: string) =>
  [...html.matchAll(/<textarea[^>]*>([^<]*)<\/textarea>/g)].map(([, value = ""]) =>
    value
      .trim()
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&"),
  );
const raw = async (folder: string, uid = 1) => (await box.page.get(box.path(`/${folder}/${uid}/raw`))).text();
const sentMessage = async () => {
  await expect.poll(() => box.list("Sent"), { timeout: 20_000 }).toHaveLength(1);
  return raw("Sent");
};
const draftUid = async () => String((await box.list("Drafts"))[0]?.uid);

const HOSTILE =
  '<div onclick="x()">Dear <b>Ada</b>,<script>steal()</script><img src="https://tracker.example/a.png">' +
  '<a href="javascript:x()">bad</a> <a href="https://example.com/good">good</a> <span style="position:fixed">far</span></div>';

describe("a message with formatting", () => {
  it("is sent with its formatting and its plain text, without scripts, handlers, styles, images or other links", async () => {
    const sent = await compose({ html: HOSTILE, action: "now" });
    expect(sent.status).toBe(303);
    const message = await sentMessage();
    expect(message).toContain("multipart/alternative");
    expect(message).toContain("Dear <b>Ada</b>,<a>bad</a>");
    for (const part of ["<script", "steal", "onclick", "tracker.example", "javascript:", "position"])
      expect(message).not.toContain(part);
    expect(message).toMatch(/text\/plain.*Dear Ada,bad good <https:\/\/example\.com\/good> far/s);
  });

  it("stays in a draft with its formatting, and is safe in the form too", async () => {
    await compose({ html: HOSTILE, action: "draft" });
    const form = await open(`draft=${await draftUid()}`);
    expect(form).toContain('data-format="rich"');
    const [text, html] = areasOf(form);
    expect(text).toContain("Dear Ada,bad good <https://example.com/good> far");
    expect(html).toContain("Dear <b>Ada</b>,");
    expect(form).not.toContain("steal");
  });

  it("is saved as plain text when a browser without scripts changes it", async () => {
    await compose({ html: "<div><b>First</b></div>", action: "draft" });
    await compose({ text: "Second", draft: await draftUid(), action: "draft" });
    const form = await open(`draft=${await draftUid()}`);
    expect(form).toContain('data-format="plain"');
    expect(areasOf(form)).toEqual(["Second", ""]);
  });

  it("keeps its formatting when it is refused", async () => {
    const refused = await compose({ html: "<div>Keep <i>me</i></div>", to: "nobody", action: "now" });
    expect(refused.status).toBe(422);
    expect(areasOf(await refused.text())).toEqual(["Keep me", "<div>Keep <i>me</i></div>"]);
  });

  it("is refused when its markup has no text", async () => {
    const refused = await compose({ html: "<div><br></div><p> </p>", action: "now" });
    expect(refused.status).toBe(422);
  });

  it("quotes the message that it answers: its HTML without what could do harm, or its lines", async () => {
    const type = "text/html; charset=utf-8";
    await box.receive(
      { "Content-Type": type, Subject: "Rich" },
      '<p onclick="x()">Shall <b>we</b>?</p><script>y()</script>\r\n',
    );
    const [text, html] = areasOf(await open("reply=one&folder=INBOX&uid=1"));
    expect(text).toContain("> Shall we?");
    expect(html).toMatch(/wrote:<\/div><blockquote type="cite"><p>Shall <b>we<\/b>\?<\/p>\s*<\/blockquote>$/);
    await box.receive({ Subject: "Plain" }, "One <two>\r\n> older\r\n");
    const [, forwarded] = areasOf(await open("reply=forward&folder=INBOX&uid=2"));
    expect(forwarded).toContain("---------- Forwarded message ----------");
    expect(forwarded).toContain(
      '<blockquote type="cite"><div>One &lt;two&gt;</div><blockquote type="cite"><div>older</div></blockquote></blockquote>',
    );
  });
});

describe("a long message", () => {
  it("is quoted as plain text up to 200,000 characters, with a line that says so", async () => {
    await box.receive({}, "&<>\r\n".repeat(400_000));
    const page = await open("reply=one&folder=INBOX&uid=1");
    expect(page).toContain('data-format="plain"');
    const [text = "", html] = areasOf(page);
    expect([text.length < 400_000, html]).toEqual([true, ""]);
    expect(text).toMatch(/wrote:\n> &<>\r?\n.*\n> \[The rest of the message is not quoted\.\]$/s);
    expect(page.length).toBeLessThan(1_500_000);
  });
});

describe("a signature", () => {
  const path = () => `/mail/signature/${box.workspace.mailboxId}`;
  const save = (fields: Record<string, string>) => box.page.post(path(), fields);

  it("is below a new message, above the text that a reply quotes, and not added to a draft again", async () => {
    const saved = await save({ html: "<div><b>Ada</b><script>x()</script><br></div><div>Example Shop</div>" });
    expect(saved.headers.get("Location")).toBe(`${path()}?done=saved`);
    const [text, html] = areasOf(await open(""));
    expect(text).toBe("Ada\nExample Shop");
    expect(html).toBe("<div><br></div><div><br></div><div><b>Ada</b><br></div><div>Example Shop</div>");
    await box.receive({}, "Shall we?\r\n");
    const reply = areasOf(await open("reply=one&folder=INBOX&uid=1"));
    expect(reply[0]).toMatch(/^Ada\nExample Shop\n\nOn .* wrote:\n> Shall we\?$/);
    expect(reply[1]).toMatch(/Example Shop<\/div><div><br><\/div><div>On .*<blockquote type="cite"><div>Shall we\?/);
    await compose({ text: "Only this", action: "draft" });
    expect(areasOf(await open(`draft=${await draftUid()}`))[0]).toBe("Only this");
  });

  it("of plain text has its lines in both formats, and an empty one is none", async () => {
    await save({ text: "Ada <ada@example.org>\r\nShop" });
    expect(areasOf(await open(""))).toEqual([
      "Ada <ada@example.org>\nShop",
      "<div><br></div><div><br></div><div>Ada &lt;ada@example.org&gt;</div><div>Shop</div>",
    ]);
    await save({ html: "<div><br></div>" });
    expect(areasOf(await open(""))).toEqual(["", ""]);
  });

  it("has at most 2,000 characters, and 10,000 with its formatting", async () => {
    const refused = await save({ text: "a".repeat(2_001) });
    expect([refused.status, toText(await refused.text())]).toEqual([422, expect.stringContaining("the limit is 2000")]);
    const long = await save({ html: "<div><b><i><u>a</u></i></b></div>".repeat(500) });
    expect([long.status, toText(await long.text())]).toEqual([422, expect.stringContaining("the limit is 10000")]);
    expect(areasOf(await open(""))).toEqual(["", ""]);
  });
});

describe("after a message was sent", () => {
  const locationOf = async (fields: Record<string, string>) =>
    new URL((await compose({ text: "A text", ...fields })).headers.get("Location") ?? "", "http://api.test");

  it("the page is shown from which it was written, with a button that stops it and opens its draft", async () => {
    await box.receive();
    const form = await open("reply=one&folder=INBOX&uid=1");
    const [back = ""] = valuesOf(form, "back");
    expect(back).toBe(box.path("/INBOX/1"));
    const location = await locationOf({ back, action: "send" });
    expect(location.pathname).toBe(back);
    const { html, text } = await box.read(location.pathname + location.search);
    expect(text).toContain("Sending…");
    const [draft = ""] = valuesOf(html, "draft");
    const [email_id = ""] = valuesOf(html, "email_id");
    const fields = { email_id, draft, back: valuesOf(html, "back")[0] ?? "" };
    const stopped = await box.page.post(`/mail/scheduled/${box.workspace.mailboxId}`, fields);
    expect(stopped.headers.get("Location")).toContain(`?draft=${draft}&done=stopped-draft&`);
    const again = await box.read(stopped.headers.get("Location") ?? "");
    expect([again.text.includes("The message is not sent."), valuesOf(again.html, "back")]).toEqual([true, [back]]);
  });

  it("a form that is submitted twice is sent once, and can be stopped after either response", async () => {
    const fields = { text: "Once", action: "send", idempotency_key: crypto.randomUUID() };
    for (const _ of ["first", "second"]) {
      const to = (await compose(fields)).headers.get("Location") ?? "";
      expect((await box.read(to)).html).toContain("Sending…");
    }
    expect(await box.list("Drafts")).toHaveLength(1);
  });

  it("a label or a folder is shown again, and nothing is offered once it has left", async () => {
    const label = (await box.page.post(`/mail/labels/${box.workspace.mailboxId}`, {
      ...{ action: "create", label_name: "Bills", color: "#a4262c" },
    })) as Response;
    expect(label.status).toBe(303);
    await box.page.post(`/mail/folders/${box.workspace.mailboxId}`, { action: "create", name: "Größe 1" });
    const [, id = ""] = /\/mail\/labels\/[\w-]+\/([\w-]{36})/.exec((await box.read(box.path("/INBOX"))).html) ?? [];
    for (const [query, path] of [
      [`label=${id}`, `/mail/labels/${box.workspace.mailboxId}/${id}`],
      ["folder=Gr%C3%B6%C3%9Fe+1", box.path("/Gr%C3%B6%C3%9Fe%201")],
      ["folder=Archive", box.path("/Archive")],
      ["", box.path("/INBOX")],
    ] as const) {
      const [back = ""] = valuesOf(await open(query), "back");
      const location = await locationOf({ back, action: "now" });
      expect([location.pathname, location.search], query).toEqual([path, "?sent=now"]);
      const { text, html } = await box.read(location.pathname + location.search);
      expect(text).toContain("The message is sent.");
      expect(valuesOf(html, "email_id")).toEqual([]);
    }
  });

  it("a form leads to no page but those of its mailbox", async () => {
    const other = await aWorkspace();
    for (const back of [
      "https://elsewhere.example/",
      "//elsewhere.example",
      `/mail/${other.mailboxId}/INBOX`,
      `/mail/${box.workspace.mailboxId}/INBOX?done=x`,
      `/mail/${box.workspace.mailboxId}/INBOX/../../x`,
      `/app/${box.workspace.mailboxId}/INBOX`,
    ]) {
      const location = await locationOf({ back, action: "now" });
      expect([location.host, location.pathname], back).toEqual(["api.test", box.path("/INBOX")]);
    }
  });
});

describe("a draft that is being sent", () => {
  it("opens the page that stops it, and then the form that changes it", async () => {
    expect((await compose({ text: "First", action: "send" })).status).toBe(303);
    const uid = await draftUid();
    const opened = await box.page.get(`/mail/compose/${box.workspace.mailboxId}?draft=${uid}`);
    const path = opened.headers.get("Location") ?? "";
    expect(path).toContain("/mail/scheduled/");
    const { html } = await box.read(path);
    expect(toText(html)).toContain("This draft is being sent. Cancel sending to change it.");
    const id = /name="email_id" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const stopped = await box.submit(path.split("?")[0] ?? "", [
      ["email_id", id],
      ["draft", uid],
    ]);
    expect(areasOf((await box.read(stopped.headers.get("Location") ?? "")).html)).toContain("First");
  });

  it("is sent by one of two people who send it at once; the other one's text is kept and is sent on request", async () => {
    await compose({ text: "First", action: "draft" });
    const draft = await draftUid();
    const both = await Promise.all([
      compose({ text: "A", draft, action: "now" }),
      compose({ text: "B", draft, action: "now" }),
    ]);
    const refused = both.find(({ status }) => status === 409);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect(await refused?.text()).toMatch(/>\s*[AB]\s*<\/textarea>/);
    await expect.poll(() => box.list("Drafts"), { timeout: 20_000 }).toEqual([]);
    const late = await compose({ text: "C", draft, action: "send" });
    expect(toText(await late.text())).toContain("was sent, changed or deleted elsewhere");
  });

  it("is not saved beside it by the script of another person, and as a new one only with a notice", async () => {
    await compose({ text: "First", action: "draft" });
    const draft = await draftUid();
    await compose({ text: "A", draft, action: "send" });
    const refused = await compose({ text: "B", draft, action: "autosave" });
    expect([refused.status, toText(await refused.text())]).toEqual([409, expect.stringContaining("was sent")]);
    expect(await box.list("Drafts")).toHaveLength(1);
    const saved = await compose({ text: "B", draft, action: "draft" });
    expect((await box.read(saved.headers.get("Location") ?? "")).text).toContain(
      "was sent, changed or deleted elsewhere",
    );
  });

  it("is one draft, however often its form is submitted at once", async () => {
    const fields = { text: "Once", action: "send", idempotency_key: crypto.randomUUID() };
    await Promise.all([compose(fields), compose(fields), compose(fields)]);
    expect(await box.list("Drafts")).toHaveLength(1);
    const { html } = await box.read(`/mail/scheduled/${box.workspace.mailboxId}`);
    expect(html.match(/name="email_id"/g)).toHaveLength(1);
  });
});

describe("a message that two people answer", () => {
  const ASKS = "This message was answered since you opened it.";
  /** Opens the form of a reply, and returns the fields that a browser sends of it. */
  const aReply = async (query = "reply=one&folder=INBOX&uid=1") => {
    const form = await open(query);
    const value = (name: string) => valuesOf(form, name)[0] ?? "";
    const names = ["in_reply_to", "answered", "draft", "idempotency_key"];
    return { text: "On Thursday.", action: "now", ...Object.fromEntries(names.map((name) => [name, value(name)])) };
  };

  it("asks the second one, whose answer is sent when it is sent again", async () => {
    await box.receive();
    const [first, second] = [await aReply(), await aReply()];
    expect((await compose(first)).status).toBe(303);
    const asked = await compose(second);
    const html = await asked.text();
    expect([asked.status, toText(html).includes(ASKS), areasOf(html)[0]]).toEqual([409, true, "On Thursday."]);
    expect(await box.list("Drafts")).toHaveLength(0);
    expect((await compose({ ...second, answered: valuesOf(html, "answered")[0] ?? "" })).status).toBe(303);
    await expect.poll(() => box.list("Sent"), { timeout: 20_000 }).toHaveLength(2);
  });

  it("asks nobody about a form that was submitted twice, about an answer from before, or about an undone one", async () => {
    await box.receive();
    const reply = { ...(await aReply()), action: "send" };
    for (const _ of ["first", "second"]) expect((await compose(reply)).status).toBe(303);
    const draft = await draftUid();
    const [email_id = ""] = valuesOf((await box.read(`/mail/scheduled/${box.workspace.mailboxId}`)).html, "email_id");
    await box.page.post(`/mail/scheduled/${box.workspace.mailboxId}`, { email_id, draft });
    expect(valuesOf(await open("reply=one&folder=INBOX&uid=1"), "answered")).toEqual(["1"]);
    expect(valuesOf(await open(`draft=${draft}`), "answered")).toEqual(["1"]);
  });
});
