import { describe, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { perTest } from "../../support/workspace.ts";
import { anInbox } from "./support.ts";

/** Reads messages as mail programs and list servers write them, through the API, the search and the pages. */

interface Message {
  from: { email: string; name: string | null } | null;
  text: string | null;
  html: string | null;
  headers: unknown[];
  attachments: { filename: string | null; part_id: string }[];
  has_attachments: boolean;
  problem: string | null;
}

const inbox = perTest(anInbox);

const part = (fields: string[], body: string) => `${fields.join("\r\n")}\r\n\r\n${body}`;
const parts = (boundary: string, ...all: string[]) =>
  `${all.map((one) => `--${boundary}\r\n${one}\r\n`).join("")}--${boundary}--\r\n`;
const plain = (body: string) => part(["Content-Type: text/plain; charset=us-ascii"], body);
const html = (body: string) => part(["Content-Type: text/html; charset=utf-8"], body);
const footer = part(
  ["Content-Type: text/plain; charset=us-ascii", "Content-Transfer-Encoding: 7bit", "Content-Disposition: inline"],
  "_______________\r\nGardeners mailing list\r\n",
);
const read = () => inbox.json<Message>("GET", "/messages/1");
const found = async (q: string) => (await inbox.json<{ total: number }>("GET", `/search?q=${q}`)).total;

describe("a message of a Mailman list", () => {
  it("has its footer below the text and the HTML, is found by it, and has no attachment", async () => {
    const alternative = part(
      ["Content-Type: multipart/alternative; boundary=a"],
      parts("a", plain("Roses"), html("<p>Roses<!-- open")),
    );
    await inbox.receive({ "Content-Type": "multipart/mixed; boundary=b" }, parts("b", alternative, footer));
    const message = await read();
    expect(message.text).toBe("Roses\n_______________\r\nGardeners mailing list\r\n");
    expect(message.html).toMatch(/^<p>Roses<\/p>\n<div [^>]*>_+<br>Gardeners mailing list<br><\/div>$/);
    expect(message).toMatchObject({ has_attachments: false, attachments: [] });
    expect(await found("gardeners")).toBe(1);
  });
});

describe("a message of Apple Mail", () => {
  const photo = part(
    ['Content-Type: image/jpeg; name="IMG_1.jpeg"', 'Content-Disposition: inline; filename="IMG_1.jpeg"'],
    "x",
  );

  it("with a photo in its text shows the text before and after it, and the photo as a file", async () => {
    const body = parts("b", plain("Before the photo.\r\n"), photo, plain("\r\nAfter the photo."));
    await inbox.receive({ "Content-Type": "multipart/mixed; boundary=b" }, body);
    const message = await read();
    expect(message.text).toBe("Before the photo.\r\n\r\nAfter the photo.");
    expect(message).toMatchObject({ html: null, attachments: [{ filename: "IMG_1.jpeg", part_id: "2" }] });
    expect(await found("after")).toBe(1);
    const session = await aSession(inbox.workspace);
    const page = await (await session.get(`/mail/${inbox.workspace.mailboxId}/INBOX/1`)).text();
    expect(page).toContain("After the photo.");
  });

  it("with a photo in its HTML shows the HTML before and after it", async () => {
    const mixed = part(
      ["Content-Type: multipart/mixed; boundary=m"],
      parts("m", html("<b>One"), photo, html("<i>Two</i>")),
    );
    const body = parts("a", plain("One Two"), mixed);
    await inbox.receive({ "Content-Type": "multipart/alternative; boundary=a" }, body);
    expect(await read()).toMatchObject({ text: "One Two", html: "<b>One</b>\n<i>Two</i>" });
  });
});

describe("what a message hides", () => {
  it("is named: header fields beyond 500, and controls of text direction in the name of a file", async () => {
    const file = part(['Content-Disposition: attachment; filename="a\u202efdp.exe"', "Content-Type: a/b"], "x");
    const fields = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`X-${n}`, "1"]));
    await inbox.receive({ ...fields, "Content-Type": "multipart/mixed; boundary=b" }, parts("b", plain("Hello"), file));
    const message = await read();
    expect(message.headers).toHaveLength(500);
    expect(message.problem).toBe("only the first 500 header fields are listed");
    expect(message.attachments).toMatchObject([{ filename: "a[U+202E]fdp.exe" }]);
    const session = await aSession(inbox.workspace);
    const path = `/mail/${inbox.workspace.mailboxId}/INBOX/1`;
    const page = await (await session.get(path)).text();
    expect(page).toContain("a[U+202E]fdp.exe");
    expect(page).toContain("only the first 500 header fields are listed");
    const download = await inbox.call("GET", "/attachments/1/2");
    expect(download.headers.get("Content-Disposition")).toContain("a[U+202E]fdp.exe");
  });

  it("has a sender without an address by its name, in the list, the message and the page", async () => {
    await inbox.receive({ From: "The Board of the Garden" });
    const sender = { email: "", name: "The Board of the Garden" };
    expect((await read()).from).toEqual(sender);
    expect(await inbox.list()).toMatchObject([{ from: sender }]);
    expect(await found("board")).toBe(1);
    const session = await aSession(inbox.workspace);
    for (const suffix of ["", "/1"]) {
      const page = await (await session.get(`/mail/${inbox.workspace.mailboxId}/INBOX${suffix}`)).text();
      expect(page).toContain("The Board of the Garden");
      expect(page).not.toContain("&lt;&gt;");
    }
  });
});

it("a text that is sent as HTML too has one line break for each of its own", async () => {
  const body = { to: ["friend@example.org"], subject: "Lines", text: "one\ntwo\r\n\r\n<four>" };
  const { id } = await inbox.json<{ id: string }>("POST", "/send", body);
  const email = await (await inbox.workspace.get(`/v1/emails/${id}`)).json();
  expect(email).toMatchObject({
    html_body: '<div style="white-space: pre-wrap">one<br>two<br><br>&lt;four&gt;</div>',
  });
});

it("a text that is too long to be sent is a 413, as in an email of the API", async () => {
  const body = { to: ["friend@example.org"], subject: "Long", text: "x".repeat(5_000_001) };
  expect((await inbox.call("POST", "/send", body)).status).toBe(413);
});
