import { describe, expect, it } from "vitest";
import type { PictureOut } from "../../../src/identity/pictures/index.ts";
import type { WorkspaceOut } from "../../../src/identity/workspaces/index.ts";
import { utf8 } from "../../../src/lib/bytes.ts";
import { PNG } from "../../identity/pictures/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const page = async (path: string) => (await session.get(path)).text();
const brand = async () => {
  const path = `/v1/workspaces/${workspace.workspaceId}`;
  return (await (await workspace.get(path)).json<WorkspaceOut>()).settings.brand;
};

/** Submits the form of a page that uploads a file. */
async function upload(path: string, bytes: Uint8Array<ArrayBuffer> = PNG) {
  const form = new FormData();
  form.set("form_page", `${workspace.workspaceId} ${path}`);
  form.set("file", new Blob([bytes]), "a.png");
  const { headers, body } = new Response(form);
  return session.call("POST", path, body ?? "", { "Content-Type": headers.get("Content-Type") ?? "" });
}

describe("the page of the brand", () => {
  it("saves colour and address, uploads the logo and removes it", async () => {
    const saved = await submit(session, "/app/settings/brand", { color: "#2E7D32", address: "Tea\r\nBremen" });
    expect(saved.headers.get("Location")).toBe("/app/settings/brand?done=saved");
    expect(await brand()).toEqual({ logo_url: null, color: "#2e7d32", address: "Tea\nBremen" });
    expect((await upload("/app/settings/brand/logo")).status).toBe(303);
    const { logo_url: url } = await brand();
    expect(await page("/app/settings/brand")).toContain(`<img class="thumbnail" src="${new URL(url ?? "").pathname}"`);
    await submit(session, "/app/settings/brand/logo/remove");
    expect(await brand()).toEqual({ logo_url: null, color: "#2e7d32", address: "Tea\nBremen" });
    const refused = await upload("/app/settings/brand/logo", new Uint8Array([1, 2, 3]));
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("PNG, JPEG, GIF or WebP")]);
  });

  it("shows an email and a page with what is filled in, which is not saved", async () => {
    const preview = await submit(session, "/app/settings/brand/preview", { color: "#ffd500", address: "<Tea>" });
    const html = await preview.text();
    for (const part of ["background:#ffd500;color:#000000", "&lt;Tea&gt;", "Unsubscribe?", "Please confirm"])
      expect(html).toContain(part);
    expect(preview.headers.get("Content-Security-Policy")).toContain("sandbox");
    expect(await brand()).toEqual({ logo_url: null, color: null, address: null });
    expect((await session.get("/app/settings/brand/preview")).status).toBe(200);
  });
});

describe("the page of pictures", () => {
  it("uploads, shows and deletes a picture, and says why a file is refused", async () => {
    expect((await upload("/app/pictures")).headers.get("Location")).toBe("/app/pictures?done=uploaded");
    const [picture] = await (await workspace.get("/v1/pictures")).json<PictureOut[]>();
    expect(await page("/app/pictures")).toContain(picture?.url ?? "missing");
    const refused = await upload("/app/pictures", utf8("<svg/>"));
    expect(refused.status).toBe(422);
    await submit(session, `/app/pictures/${picture?.id}/delete`);
    expect(await (await workspace.get("/v1/pictures")).json()).toEqual([]);
  });
});

describe("the editor of blocks", () => {
  it("begins with logo and address of the brand, and gives a new button its colour", async () => {
    expect(await page("/app/templates/new?editor=blocks")).not.toContain("b.0.type");
    await submit(session, "/app/settings/brand", { color: "#2e7d32", address: "Tea" });
    await upload("/app/settings/brand/logo");
    const html = await page("/app/templates/new?editor=blocks");
    const { logo_url: url } = await brand();
    expect(html).toContain(`value="${url}"`);
    expect(html).toMatch(/\nw\d+-\w+\nTea<\/textarea>/);
    const fields = { editor: "blocks", name: "x", action: "add:button", idempotency_key: crypto.randomUUID() };
    const added = await (await submit(session, "/app/templates/new", fields)).text();
    expect(added).toMatch(/name="b.0.color"[^>]*value="#2e7d32"/);
    const button = { "b.0.type": "button", "b.0.text": "Open", "b.0.url": "https://example.org/" };
    const saved = await submit(session, "/app/templates/new", {
      ...fields,
      ...button,
      "b.0.color": "#2e7d32",
      action: "save",
    });
    const id = /[0-9a-f-]{36}/.exec(saved.headers.get("Location") ?? "")?.[0];
    const template = await (await workspace.get(`/v1/templates/${id}`)).json<{ html_body: string }>();
    expect(template.html_body).toContain("background:#2e7d32;color:#ffffff");
    const wrong = await submit(session, "/app/templates/new", {
      ...fields,
      ...button,
      "b.0.color": "red;x",
      action: "save",
    });
    expect(await wrong.text()).toContain("The colour must be # and six hexadecimal digits");
  });
});

describe("the page of the forms of a list", () => {
  it("chooses the mailbox that the confirmation mails come from", async () => {
    const { id } = await workspace.create("/v1/contacts/", { name: "News" });
    expect(await page(`/app/contacts/${id}/forms`)).toContain(`<option value="${workspace.mailboxId}">`);
    await submit(session, `/app/contacts/${id}/confirmation`, {
      confirm: "on",
      confirm_mailbox_id: workspace.mailboxId,
    });
    expect(await (await workspace.get(`/v1/contacts/${id}`)).json()).toMatchObject({
      ...{ confirm: true, confirm_mailbox_id: workspace.mailboxId },
    });
  });
});

describe("the page of a broadcast", () => {
  it("shows it on the web and takes it back", async () => {
    const body = { name: "News", subject: "News", from_address: workspace.mailbox, text_body: "Hello" };
    const { id } = await workspace.create("/v1/broadcasts/", body);
    const path = `/app/broadcasts/${id}`;
    expect(await page(`${path}/review`)).toContain("Show on the web");
    expect((await submit(session, `${path}/show-on-web`)).headers.get("Location")).toBe(`${path}/review?done=shown`);
    expect(await page(`${path}/review`)).toMatch(/\/w\/[\w-]{52}/);
    await submit(session, `${path}/take-from-web`);
    expect(await page(`${path}/review`)).toContain("Show on the web");
  });
});
