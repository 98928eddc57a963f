import PostalMime from "postal-mime";
import { beforeEach, describe, expect, it } from "vitest";
import { aSubmitter } from "../../support/submissions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { messagesOf } from "./support.ts";

const workspace = perTest(aWorkspace);
let message: ReturnType<typeof messagesOf>["message"];
let _detail: ReturnType<typeof messagesOf>["detail"];
let _count: ReturnType<typeof messagesOf>["count"];
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

  it("leaves signed messages, other charsets and messages of 2 MiB byte for byte", async () => {
    const { submit } = await aSubmitter(workspace);
    const own = { Date: "x", "Message-ID": "<a@b>" };
    const part = `Content-Type: text/html\n\n${html.replace("Süß", "S")}\n`;
    const texts = [
      message({ ...own, "Content-Type": 'multipart/signed; boundary="b"' }, `--b\n${part}--b\n\nsignature\n--b--\n`),
      message({ ...own, "Content-Type": "text/html; charset=utf-16" }, `${html.replace("Süß", "S")}\n`),
      message({ ...own, "Content-Type": "text/html" }, `${html.replace("Süß", "S")}\n${"<br>\n".repeat(350_000)}`),
    ];
    for (const text of texts) expect((await sent((await submit(text)).id)).unsigned === text).toBe(true);
  });
});
