import PostalMime from "postal-mime";
import { beforeEach, describe, expect, it } from "vitest";
import { aSubmitter } from "../../support/submissions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { messagesOf } from "./support.ts";

const workspace = perTest(aWorkspace);
let message: ReturnType<typeof messagesOf>["message"];
let sent: ReturnType<typeof messagesOf>["sent"];

beforeEach(async () => {
  ({ message, sent } = messagesOf(workspace));
});

describe("tracking", () => {
  const html = '<html><body><p>Süß</p><a href="https://shop.example/a">Shop</a></body></html>';
  beforeEach(async () => {
    await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, {
      settings: { tracking_opens: true, tracking_clicks: true },
    });
  });

  it("changes the HTML only, and the message keeps a valid form", async () => {
    const { submit } = await aSubmitter(workspace);
    const body = `--b\n\nplain\n--b\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\nX-Kept: yes\n\n${html}\n--b--\nepilogue\n`;
    const { id } = await submit(message({ "Content-Type": "multipart/alternative; boundary=b" }, body));
    const { unsigned } = await sent(id);
    const parsed = await PostalMime.parse(unsigned);
    expect(parsed.text).toContain("plain");
    expect(parsed.html).toContain("<p>Süß</p>");
    expect(parsed.html).toMatch(/href="[^"]*\/t\/c\/[^"]+"/);
    expect(parsed.html).toMatch(/<img src="[^"]*\/t\/o\//);
    expect(unsigned).toContain("X-Kept: yes\r\nContent-Transfer-Encoding: base64\r\n\r\n");
    expect(unsigned.endsWith("--b--\r\nepilogue\r\n")).toBe(true);
  });

  it("works for a message that is HTML as a whole", async () => {
    const { submit } = await aSubmitter(workspace);
    const { id } = await submit(
      message(
        { "Content-Type": "text/html", "Content-Transfer-Encoding": "quoted-printable" },
        `${html.replace(/=/g, "=3D").replace("ü", "=C3=BC").replace("ß", "=C3=9F")}\n`,
      ),
    );
    const parsed = await PostalMime.parse((await sent(id)).unsigned);
    expect(parsed.html).toContain("<p>Süß</p>");
    expect(parsed.html).toContain("/t/c/");
  });

  const quoted = { "Content-Transfer-Encoding": "quoted-printable" };
  it.each<[string, Record<string, string>, string]>([
    ["iso-8859-1", quoted, "S=FC=DF"],
    ["windows-1252", { "Content-Transfer-Encoding": "base64" }, "S\xfc\xdf"],
    ["cp850", quoted, "S=81=E1"],
    ["utf-7", {}, "S+APwA3w-"],
    ["iso-8859-1", { "Content-Transfer-Encoding": "7bit", "MIME-Version": "1.0" }, "S&uuml;&szlig;"],
  ])("works for HTML in %s, which leaves as UTF-8 with a parameter that says so", async (charset, fields, text) => {
    const { submit } = await aSubmitter(workspace);
    const content = `<html><body>${text} <a href${fields === quoted ? "=3D" : "="}"https://shop.example/l1">x</a></body></html>`;
    const body = fields["Content-Transfer-Encoding"] === "base64" ? btoa(content) : content;
    const given = {
      ...fields,
      "Content-MD5": "Q2hlY2sgSW50ZWdyaXR5IQ==",
      "Content-Type": `text/html; charset=${charset}`,
    };
    const { unsigned } = await sent((await submit(message(given, `${body}\n`))).id);
    const parsed = await PostalMime.parse(unsigned);
    expect(parsed.html).toMatch(/S(?:üß|&uuml;&szlig;) <a href="[^"]*\/t\/c\//);
    expect(unsigned).toContain("Content-Type: text/html; charset=utf-8\r\n");
    expect(unsigned).not.toContain("Content-MD5");
    // Who writes Content-Transfer-Encoding writes MIME-Version too (RFC 2045 4).
    expect(unsigned.match(/^MIME-Version: 1.0\r\n/gm)).toHaveLength(1);
  });

  it("leaves files, signed messages, unknown encodings, unknown or broken charsets and messages of 2 MiB byte for byte", async () => {
    const { submit } = await aSubmitter(workspace);
    const own = { Date: "x", "Message-ID": "<a@b>" };
    const file = (field: string) => `Content-Type: text/html\n${field}\n\n${html.replace("Süß", "S")}\n`;
    const part = `Content-Type: text/html\n\n${html.replace("Süß", "S")}\n`;
    const texts = [
      message({ ...own, "Content-Type": 'multipart/signed; boundary="b"' }, `--b\n${part}--b\n\nsignature\n--b--\n`),
      message(
        { ...own, ...quoted, "Content-Type": "text/html; charset=x-none" },
        'S=FC=DF <a href=3D"https://shop.example/a">x</a>\n',
      ),
      message(
        { ...own, "Content-Type": "text/html", "Content-Transfer-Encoding": "x-uuencode" },
        "begin 644 a\n#:&D*\n`\nend\n",
      ),
      message(
        { ...own, ...quoted, "Content-Type": "text/html; charset=utf-8" },
        'S=FC=DF <a href=3D"https://shop.example/a">x</a>\n',
      ),
      message(
        { ...own, "Content-Type": "multipart/mixed; boundary=b" },
        `--b\n\nAttached.\n--b\n${file('Content-Disposition: inline; filename="report.html"')}--b--\n`,
      ),
      message(
        { ...own, "Content-Type": "multipart/mixed; boundary=b" },
        `--b\n\nAttached.\n--b\n${file("Content-Disposition: inline;\n filename*0*=utf-8''report; filename*1=.html")}--b--\n`,
      ),
      message(
        { ...own, "Content-Type": "multipart/mixed; boundary=b" },
        `--b\n\nAttached.\n--b\n${file("X-A: b").replace("text/html", 'text/html; name="report.html"')}--b--\n`,
      ),
      // Two texts of base64 one after the other: some mail programs show both, and our decoder reads the first.
      message(
        { ...own, "Content-Type": "text/html; charset=utf-8", "Content-Transfer-Encoding": "base64" },
        `${btoa(html.replace("Süß", "Su"))}\n${btoa("<p>More</p>")}\n`,
      ),
      message({ ...own, "Content-Type": "text/html" }, `${html.replace("Süß", "S")}\n${"<br>\n".repeat(350_000)}`),
    ];
    for (const text of texts) expect((await sent((await submit(text)).id)).unsigned === text).toBe(true);
  });
});
