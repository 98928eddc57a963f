import { describe, expect, it } from "vitest";
import { consumeQueues } from "../../support/queues.ts";
import { perTest } from "../../support/workspace.ts";
import { aMailbox, toText, valuesOf } from "./support.ts";

consumeQueues("work");

const box = perTest(aMailbox);

const MIB = 1024 * 1024;
const file = (name: string, content: string | Uint8Array<ArrayBuffer> = "content", type = "text/plain") =>
  new File([content], name, { type });
/** Submits the form that writes a message, as a browser does: the files are the last field but the button. */
const compose = (
  action: string,
  fields: Record<string, string> = {},
  files: File[] = [],
  refs: readonly string[] = [],
) =>
  box.submit(`/mail/compose/${box.workspace.mailboxId}`, [
    ...Object.entries({ idempotency_key: crypto.randomUUID(), to: "friend@example.org", text: "A text", ...fields }),
    ...refs.map((ref): [string, string] => ["file", ref]),
    ...(files.length > 0 ? files : [new File([], "")]).map((one): [string, File] => ["upload", one]),
    ["action", action],
  ]);
const draftOf = async (response: Response) => {
  expect(response.status).toBe(303);
  return box.read(response.headers.get("Location") ?? "");
};
const raw = async (folder: string, uid: number) => (await box.page.get(box.path(`/${folder}/${uid}/raw`))).text();

describe("files of a new message", () => {
  it("are attached without a script, kept when the message is refused, and sent with it", async () => {
    const attached = await compose("attach", {}, [file("notes.txt", "one"), file("größe.txt", "two")]);
    const html = await attached.text();
    expect(attached.status).toBe(200);
    expect(toText(html)).toMatch(/notes\.txt 3 bytes größe\.txt 3 bytes/);
    const refs = valuesOf(html, "file");
    const refused = await compose("now", { to: "nobody" }, [file("third.txt")], refs);
    const kept = valuesOf(await refused.text(), "file");
    expect([refused.status, kept.length, kept.slice(0, 2)]).toEqual([422, 3, refs]);
    const sent = await compose("now", {}, [], kept.slice(0, 2));
    expect(sent.headers.get("Location")).toContain("sent=now");
    await expect.poll(() => box.list("Sent"), { timeout: 20_000 }).toHaveLength(1);
    const copy = await raw("Sent", 1);
    for (const content of ["one", "two"]) expect(copy).toContain(btoa(content));
    expect(copy).toContain("notes.txt");
  });

  it("are removed one by one by their buttons, without a script", async () => {
    const attached = await (await compose("attach", {}, [file("notes.txt", "one"), file("b.txt", "two")])).text();
    const refs = valuesOf(attached, "file");
    expect(valuesOf(attached, "action")).toEqual(expect.arrayContaining(refs.map((ref) => `remove:${ref}`)));
    const removed = await (await compose(`remove:${refs[0]}`, { text: "Keep me" }, [], refs)).text();
    expect(valuesOf(removed, "file")).toEqual([refs[1]]);
    expect(toText(removed)).toContain("Keep me");
    expect(await box.list("Drafts")).toEqual([]);
  });

  it("stay in a draft, also when it is opened and saved again, until they are removed", async () => {
    const first = await draftOf(await compose("draft", {}, [file("notes.txt", "one"), file("b.txt", "two")]));
    const refs = valuesOf(first.html, "file");
    expect(refs).toHaveLength(2);
    const draft = valuesOf(first.html, "draft")[0] ?? "";
    const second = await draftOf(await compose("draft", { draft }, [], refs.slice(0, 1)));
    expect(second.text).toContain("notes.txt");
    expect(second.text).not.toContain("b.txt");
    const [item, ...others] = await box.list("Drafts");
    expect([item?.has_attachments, others]).toEqual([true, []]);
    expect(await raw("Drafts", item?.uid ?? 0)).toContain(btoa("one"));
  });

  it("of a forwarded message go with it", async () => {
    const body = `--b\r\nContent-Type: text/plain\r\n\r\nSee file\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n1,2\r\n--b--\r\n`;
    await box.receive({ "Content-Type": 'multipart/mixed; boundary="b"' }, body);
    const form = await box.read(`/mail/compose/${box.workspace.mailboxId}?reply=forward&folder=INBOX&uid=1`);
    expect(valuesOf(form.html, "file")).toEqual(["part:1:2:INBOX"]);
    const draft = await draftOf(await compose("draft", {}, [], ["part:1:2:INBOX"]));
    expect(draft.text).toContain("a.csv 3 bytes");
  });

  it("that are inline and that no HTML names are shown, downloaded and forwarded", async () => {
    const pdf = (name: string, id: string) =>
      `--b\r\nContent-Type: application/pdf\r\nContent-Disposition: inline; filename="${name}"\r\nContent-ID: <${id}>\r\n\r\n%PDF\r\n`;
    const html = '--b\r\nContent-Type: text/html\r\n\r\n<p>Two files</p><img src="cid:">\r\n';
    const body = `${html}${pdf("one.pdf", "x1@example.org")}${pdf("two.pdf", "")}--b--\r\n`;
    await box.receive({ "Content-Type": 'multipart/mixed; boundary="b"' }, body);
    const [item] = await box.list("INBOX");
    expect(item?.has_attachments).toBe(true);
    const message = await box.read(box.path("/INBOX/1"));
    for (const name of ["one.pdf", "two.pdf"]) expect(message.text).toContain(name);
    const links = [...message.html.matchAll(/href="([^"]*\/parts\/[^"]*)"/g)].map(([, link = ""]) => link);
    expect(links).toHaveLength(2);
    for (const link of links) expect(await (await box.page.get(link)).text()).toBe("%PDF");
    const form = await box.read(`/mail/compose/${box.workspace.mailboxId}?reply=forward&folder=INBOX&uid=1`);
    expect(valuesOf(form.html, "file")).toEqual(["part:1:2:INBOX", "part:1:3:INBOX"]);
  });

  it("that are related to HTML which does not name them are shown, downloaded and forwarded", async () => {
    const pdf = '--q\r\nContent-Type: application/pdf; name="invoice.pdf"\r\nContent-ID: <x2@example.org>\r\n';
    const body = `--q\r\nContent-Type: text/html\r\n\r\n<p>See the invoice.</p>\r\n${pdf}Content-Transfer-Encoding: base64\r\n\r\nJVBERi0x\r\n--q--\r\n`;
    await box.receive({ "Content-Type": "multipart/related; boundary=q" }, body);
    expect((await box.list("INBOX"))[0]?.has_attachments).toBe(true);
    const message = await box.read(box.path("/INBOX/1"));
    expect(message.text).toContain("invoice.pdf");
    const [, link = ""] = /href="([^"]*\/parts\/[^"]*)"/.exec(message.html) ?? [];
    expect(await (await box.page.get(link)).text()).toBe("%PDF-1");
    const form = await box.read(`/mail/compose/${box.workspace.mailboxId}?reply=forward&folder=INBOX&uid=1`);
    expect(valuesOf(form.html, "file")).toEqual(["part:1:2:INBOX"]);
  });

  it("beyond 24 MiB are refused with the limit, and the text is kept", async () => {
    const half = new Uint8Array(13 * MIB);
    const refused = await compose("draft", { text: "Keep me" }, [file("a.bin", half), file("b.bin", half)]);
    const text = toText(await refused.text());
    expect(refused.status).toBe(413);
    expect(text).toContain("24 MiB");
    expect(text).toContain("Keep me");
    const attached = await (await compose("attach", {}, [file("a.bin", half)])).text();
    const second = await (await compose("attach", {}, [file("b.bin", half)])).text();
    const both = [...valuesOf(attached, "file"), ...valuesOf(second, "file")];
    const result = await compose("draft", { text: "Keep me" }, [], both);
    expect([result.status, toText(await result.text()).includes("Keep me")]).toEqual([413, true]);
    expect(await box.list("Drafts")).toEqual([]);
  });

  it.each(["01a1fe73-ddf6-70b2-9eb0-2ad3fde8ab66", "part:1:2:INBOX", "part:1:2:Nowhere", "../x", "part:x", "\u0000"])(
    "that do not exist (%j) are named, and nothing is sent",
    async (ref) => {
      const refused = await compose("now", {}, [], [ref]);
      const html = await refused.text();
      expect([refused.status, valuesOf(html, "file")]).toEqual([422, []]);
      expect(toText(html)).toContain("no longer stored");
      expect(await (await box.workspace.call("GET", "/v1/emails/")).json()).toEqual([]);
    },
  );

  it("of another mailbox do not exist", async () => {
    const other = await aMailbox();
    const path = `/mail/compose/${other.workspace.mailboxId}`;
    const attached = await other.submit(path, [
      ["upload", file("secret.txt")],
      ["action", "attach"],
    ]);
    const [ref = ""] = valuesOf(await attached.text(), "file");
    expect(ref).not.toBe("");
    const refused = await compose("attach", {}, [], [ref]);
    expect([refused.status, (await refused.text()).includes("secret.txt")]).toEqual([422, false]);
  });

  it("have names without line ends and folders", async () => {
    const attached = await compose("draft", {}, [file("a\r\nBcc: x@example.org/../b.txt")]);
    expect(attached.status).toBe(303);
    const [item] = await box.list("Drafts");
    expect(await raw("Drafts", item?.uid ?? 0)).not.toMatch(/^Bcc: x@example\.org/m);
  });
});

describe("a text that is too long", () => {
  const MOST = 1_000_000;

  it.each([
    ["for the form", "html", `<div>Keep me</div>${"<p>".repeat(2_000_000)}`],
    ["for the form, as plain text", "text", `Keep me ${"é".repeat(2_000_000)}`],
    ["with its formatting", "html", `<div>Keep me</div>${"a".repeat(MOST)}`],
    ["once it is escaped", "html", `<div>Keep me</div>${"&<".repeat(MOST / 4)}`],
  ])("%s is refused and shown again, and neither stored nor sent", async (_, field, text) => {
    for (const action of ["draft", "now"]) {
      const refused = await compose(action, { text: "", [field]: text });
      const html = await refused.text();
      expect(refused.status).toBe(413);
      expect(toText(html)).toMatch(/The text .*(longer than 3,000,000 bytes|limit is 1,000,000 characters).*Keep me/);
      expect([valuesOf(html, "to"), html.length < 10_000_000]).toEqual([["friend@example.org"], true]);
    }
    expect([await box.list("Drafts"), await box.list("Sent")]).toEqual([[], []]);
  });

  it("keeps all of its text without formatting, which can be stored", async () => {
    const words = "<b>word</b> ".repeat(100_000);
    const html = await (await compose("draft", { html: `${words}end` })).text();
    const [, text = ""] = /<textarea[^>]* name="text"[^>]*>([^<]*)</.exec(html) ?? [];
    expect(text.trim()).toBe(`${"word ".repeat(100_000)}end`);
    expect(html).toContain('data-format="plain"');
    expect((await compose("draft", { text })).status).toBe(303);
  });

  it("is refused in a form whose other fields are too long", async () => {
    const long = "a".repeat(3_100_000);
    expect((await compose("draft", { subject: long, text: long })).status).toBe(413);
    expect(await box.list("Drafts")).toEqual([]);
  });
});

describe("a draft", () => {
  it("is saved by the script without incomplete addresses, and the response is the form with its id", async () => {
    const saved = await compose("autosave", { to: "friend@example.org, ad", subject: "Hello" });
    const html = await saved.text();
    expect([saved.status, toText(html)]).toEqual([200, expect.stringContaining("without the addresses")]);
    expect(valuesOf(html, "to")).toEqual(["friend@example.org, ad"]);
    const [item] = await box.list("Drafts");
    expect(valuesOf(html, "draft")).toEqual([String(item?.uid)]);
    expect(item?.subject).toBe("Hello");
  });

  it("that was replaced in another window is stored as a new one: no text is lost", async () => {
    const first = await draftOf(await compose("draft", { text: "Version 1" }));
    const draft = valuesOf(first.html, "draft")[0] ?? "";
    await draftOf(await compose("draft", { draft, text: "Version 2" }));
    const third = await draftOf(await compose("draft", { draft, text: "Version 3" }));
    expect(third.text).toContain("Version 3");
    expect(await box.list("Drafts")).toHaveLength(2);
  });

  it("that is stopped after sending opens again", async () => {
    const sent = await compose("send", { subject: "Stop me" }, [file("a.txt")]);
    const after = await box.read(sent.headers.get("Location") ?? "");
    const [draft = ""] = valuesOf(after.html, "draft");
    const [email_id = ""] = valuesOf(after.html, "email_id");
    const stopped = await box.page.post(`/mail/scheduled/${box.workspace.mailboxId}`, { email_id, draft });
    const form = await draftOf(stopped);
    expect(form.text).toContain("The message is not sent.");
    expect(form.text).toContain("a.txt");
    expect(valuesOf(form.html, "subject")).toEqual(["Stop me"]);
  });
});
