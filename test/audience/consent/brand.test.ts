import { beforeEach, describe, expect, it } from "vitest";
import type { FormOut } from "../../../src/audience/forms/index.ts";
import type { PictureOut } from "../../../src/identity/pictures/index.ts";
import type { WorkspaceOut } from "../../../src/identity/workspaces/index.ts";
import { uploadPicture } from "../../identity/pictures/support.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, createApiWithoutQueue, perTest } from "../../support/workspace.ts";
import { captureMails, listsOf } from "./support.ts";

const workspace = perTest(aWorkspace);
const lists = perTest(() => listsOf(workspace));
const visitor = createApiWithoutQueue(null);

const patch = (brand: unknown, fields: object = {}) =>
  workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { ...fields, settings: { brand } });

let logo = { id: "", url: "" };
beforeEach(async () => {
  logo = await (await uploadPicture(workspace)).json<PictureOut>();
  const brand = { logo_url: logo.url, color: "#FFD500", address: "Rose <Shop>\nHigh Street 1" };
  expect((await patch(brand, { name: "Rosa's & Co" })).status).toBe(200);
});

const form = (headers: Record<string, string>) => ({ "Content-Type": "application/x-www-form-urlencoded", ...headers });
const german = { "Accept-Language": "fr;q=0.9, de-AT;q=0.8, en;q=0.7" };

async function aForm() {
  const { id } = await lists.list();
  const body = { name: "Footer", title: "Our news", text: "Once a month." };
  return new URL((await lists.json<FormOut>(await lists.api.post(`/v1/contacts/${id}/forms`, body), 201)).url).pathname;
}

/** Returns the path of the unsubscribe link of a mail that left. */
async function unsubscribePath(to: string): Promise<string> {
  const server = await sinkServer();
  await workspace.withoutQueue.create("/v1/emails/", aMail(workspace, { to: [{ email: to }], unsubscribe: true }));
  await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
  const [message] = await server.messages();
  await server.close();
  const text = new TextDecoder().decode(message?.raw).replace(/\r\n[ \t]/g, " ");
  return new URL(/List-Unsubscribe: <([^>]*)>/.exec(text)?.[1] ?? "").pathname;
}

/** Checks that a page shows the sender, and nothing of the service. */
async function expectBranded(response: Response, address: string | null) {
  const html = await response.text();
  expect(html).toContain(`<img src="${logo.url}" alt=""/>`);
  expect(html).toContain(`<link rel="icon" href="${logo.url}"/>`);
  expect(html).toContain("Rosa&#39;s &amp; Co");
  expect(html).toContain("Rose &lt;Shop&gt;\nHigh Street 1");
  expect(html).toContain("background:#ffd500;color:#000000");
  const nonce = /<style nonce="([^"]+)"/.exec(html)?.[1];
  expect(response.headers.get("Content-Security-Policy")).toContain(`style-src 'self' 'nonce-${nonce}';`);
  expect(response.headers.get("Content-Security-Policy")).toContain(`img-src 'self' data: ${logo.url};`);
  if (address !== null) expect(html).toMatch(new RegExp(`Rosa&#39;s &amp; Co (writes to|schreibt an) ${address}\\.`));
  expectUnmarked(html);
  return html;
}

function expectUnmarked(html: string) {
  for (const mark of ["favicon", "webmanifest", "touch-icon", 'class="mark"', "/app", "Email delivery"])
    expect(html, mark).not.toContain(mark);
}

describe("a page of a recipient", () => {
  it("shows the name, logo, colour and address of the sender, who writes to whom, and nothing of the service", async () => {
    const unsubscribe = await unsubscribePath("ada@example.org");
    expect(await expectBranded(await visitor.get(unsubscribe), "ada@example.org")).toContain("Unsubscribe?");
    const left = await visitor.call("POST", unsubscribe, "action=all", form({}));
    expect(await expectBranded(left, "ada@example.org")).toContain("You are unsubscribed");
    const path = await aForm();
    await expectBranded(await visitor.get(path), null);
    await expectBranded(await visitor.call("POST", path, "email=eve@example.org", form({})), "eve@example.org");
    const [mail] = await captureMails();
    await expectBranded(await visitor.get(mail?.path ?? ""), "eve@example.org");
    await expectBranded(await visitor.call("POST", mail?.path ?? "", "", form({})), "eve@example.org");
  });

  it("is in the language that its reader prefers, and so is the email that follows", async () => {
    const unsubscribe = await unsubscribePath("ada@example.org");
    const page = await expectBranded(await visitor.call("GET", unsubscribe, undefined, german), "ada@example.org");
    expect(page).toContain('lang="de"');
    expect(page).toContain("Abmelden?");
    const path = await aForm();
    const refused = await (await visitor.call("POST", path, "email=x", form(german))).text();
    expect(refused).toContain("Geben Sie eine gültige E-Mail-Adresse ein");
    await visitor.call("POST", path, "email=eve@example.org", form(german));
    const [mail] = await captureMails();
    expect(mail?.text).toContain('lang="de"');
    expect(mail?.text).toMatch(/Subject: (Bitte|=\?UTF-8)/i);
    // The link is about the words of that mail, so its page is in their language.
    expect(await expectBranded(await visitor.get(mail?.path ?? ""), "eve@example.org")).toContain("Bestätigen");
  });

  it("of a link that leads to nothing shows nothing of the service either", async () => {
    for (const path of ["/u/unknown", "/c/unknown", "/f/unknown"]) {
      const response = await visitor.call("GET", path, undefined, german);
      expect(response.status).toBe(404);
      const html = await response.text();
      expect(html).toContain("Dieser Link funktioniert nicht");
      expectUnmarked(html);
    }
  });
});

describe("the email that asks for confirmation", () => {
  it("has logo, colour and address of the sender, and no mark of the service", async () => {
    await visitor.call("POST", await aForm(), "email=eve@example.org", form({}));
    const [mail] = await captureMails();
    expect(mail?.text).toContain(`<img src="${logo.url}"`);
    expect(mail?.text).toContain("background:#ffd500;color:#000000");
    expect(mail?.text).toContain("Rose &lt;Shop&gt;<br>High Street 1");
    expect(mail?.text).toContain("Rose <Shop>\r\nHigh Street 1");
    expect(mail?.text).not.toMatch(/Sent by|&#10003;/);
  });

  it("makes no link of a name that reads as one", async () => {
    await patch(undefined, { name: "Visit evil.example or https://evil.example" });
    await visitor.call("POST", await aForm(), "email=eve@example.org", form({}));
    const [mail] = await captureMails();
    expect(mail?.text.split("\r\n\r\n").slice(1).join("")).not.toMatch(/evil\.example|https:\/\/evil/);
  });
});

describe("the brand", () => {
  it("changes by its members, and null removes them", async () => {
    const brandOf = async (response: Response) => (await response.json<WorkspaceOut>()).settings.brand;
    expect(await brandOf(await patch({ color: null }))).toEqual({
      ...{ logo_url: logo.url, color: null, address: "Rose <Shop>\nHigh Street 1" },
    });
    expect(await brandOf(await patch({ logo_url: null, color: "#0a0b0c" }))).toMatchObject({
      ...{ logo_url: null, color: "#0a0b0c" },
    });
    expect(await brandOf(await patch(null))).toEqual({ logo_url: null, color: null, address: null });
  });

  it("takes colours and text alone, and a logo of the own pictures alone", async () => {
    const other = await aWorkspace();
    const { url } = await (await uploadPicture(other)).json<PictureOut>();
    const wrong = [
      { color: "red" },
      { color: "#12345" },
      { color: "#123456;}" },
      { address: "" },
      { address: "a".repeat(301) },
      { address: "a\u0000b" },
      { logo_url: url },
      { logo_url: "https://evil.example/i/x.png" },
      { logo_url: logo.url.replace(/.{5}\.png$/, "AAAAA.png") },
    ];
    for (const brand of wrong) expect((await patch(brand)).status, JSON.stringify(brand)).toBe(422);
  });

  it("loses its logo when the picture is deleted", async () => {
    expect((await workspace.call("DELETE", `/v1/pictures/${logo.id}`)).status).toBe(204);
    const { settings } = await (await workspace.get(`/v1/workspaces/${workspace.workspaceId}`)).json<WorkspaceOut>();
    expect(settings.brand).toMatchObject({ logo_url: null, color: "#ffd500" });
  });
});
