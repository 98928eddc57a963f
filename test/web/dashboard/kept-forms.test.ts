import { describe, expect, it } from "vitest";
import { publish } from "../../support/dns-control.ts";
import { aSession } from "../../support/sessions.ts";
import { apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** Text that a person has written is not lost: when the session has ended, and when another tab has saved meanwhile. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

/** Returns the fields of the form of a page that posts to `action`. */
async function fieldsOf(page: string, action: string): Promise<Record<string, string>> {
  const fields: [string, string][] = [];
  let isInside = false;
  let area: string | null = null;
  const rewriter = new HTMLRewriter()
    .on("form", {
      element(form) {
        isInside = (form.getAttribute("action") ?? action) === action;
        form.onEndTag(() => {
          isInside = false;
        });
      },
    })
    .on("input", {
      element(input) {
        const name = input.getAttribute("name");
        if (isInside && name) fields.push([name, decode(input.getAttribute("value") ?? "")]);
      },
    })
    .on("textarea", {
      element(textarea) {
        area = isInside ? textarea.getAttribute("name") : null;
        if (area) fields.push([area, ""]);
      },
      text({ text }) {
        const last = fields.at(-1);
        if (area && last) last[1] += decode(text);
      },
    });
  await rewriter.transform(new Response(page)).text();
  return Object.fromEntries(fields.map(([name, value]) => [name, value.replace(/^\n/, "")]));
}

const decode = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const signedOut = {
  call: (method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}) =>
    apiWith(null).call(method, path, body, { Origin: "http://api.test", "Sec-Fetch-Site": "same-origin", ...headers }),
};

describe("a form that comes after the end of its session", () => {
  it("is kept whole, without its passwords, and does what it asks for when it is sent again after a sign-in", async () => {
    const text = 'Hello & <b>"you"</b>\r\nsecond line \u00e9 \u{1f4e8}';
    const form = {
      name: "Receipt",
      subject: "S",
      html_body: text,
      text_body: "",
      idempotency_key: crypto.randomUUID(),
    };
    const response = await submit(signedOut as typeof session, "/app/templates/new", { ...form, password: "secret" });
    expect(response.status).toBe(401);
    const page = await response.text();
    expect(page).toContain("Your session has ended");
    expect(page).toContain('href="/auth/sign-in"');
    expect(page).not.toContain("secret");
    expect(await (await workspace.get("/v1/templates/")).json()).toEqual([]);
    const kept = await fieldsOf(page, "/app/templates/new");
    expect(kept).toEqual(form);
    const saved = await submit(session, "/app/templates/new", kept);
    expect(saved.status).toBe(303);
    expect(await (await workspace.get("/v1/templates/")).json()).toMatchObject([{ name: "Receipt" }]);
  });

  it("keeps repeated fields and the text beside files, and says that files are to be chosen again", async () => {
    const body = new FormData();
    body.append("row", "1");
    body.append("row", "2");
    body.append("text", "Hello");
    body.append("files", new File(["x".repeat(1000)], "a.txt"));
    const encoded = new Response(body);
    const type = { "Content-Type": encoded.headers.get("Content-Type") ?? "" };
    const page = await (await signedOut.call("POST", "/mail/compose/unknown", encoded.body ?? "", type)).text();
    expect(page.match(/type="hidden"/g)).toHaveLength(3);
    expect(page).toContain("The chosen files are not kept");
    expect(page).toContain('href="/mail/sign-in"');
    expect(page).toContain('enctype="multipart/form-data"');
  });

  it("that is too large or malformed loses its content only, and says so", async () => {
    for (const [body, type] of [
      [`a=${"x".repeat(3_000_001)}`, "application/x-www-form-urlencoded"],
      ["--x\r\nbroken", "multipart/form-data; boundary=x"],
      ["{}", "application/json"],
    ] as const) {
      const response = await signedOut.call("POST", "/app/templates/new", body, { "Content-Type": type });
      expect([response.status, type]).toEqual([401, type]);
      expect(await response.text()).toContain("cannot be kept");
    }
  });

  it("of another site gets no page", async () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Origin: "https://evil.example" };
    const response = await apiWith(null).call("POST", "/app/templates/new", "name=x", headers);
    expect(response.status).toBe(403);
    expect(await response.text()).not.toContain('value="x"');
  });
});

describe("a form that another tab has overtaken", () => {
  it("of a template is not saved before it shows what is stored, and is saved when it is sent again", async () => {
    const { id } = await workspace.create("/v1/templates/", { name: "A", subject: "old", html_body: "<p>old</p>" });
    const path = `/app/templates/${id}`;
    const [one, two] = await Promise.all(
      [0, 1].map(async () => fieldsOf(await (await session.get(path)).text(), path)),
    );
    expect((await submit(session, path, { ...one, html_body: "<p>of the first tab</p>" })).status).toBe(303);
    const refused = await submit(session, path, { ...two, subject: "of the second tab" });
    expect(refused.status).toBe(409);
    const page = await refused.text();
    expect(page).toContain("&lt;p&gt;of the first tab&lt;/p&gt;");
    const again = await fieldsOf(page, path);
    expect(again).toMatchObject({ subject: "of the second tab", html_body: "<p>old</p>" });
    const stored = async () => (await workspace.get(`/v1/templates/${id}`)).json();
    expect(await stored()).toMatchObject({ subject: "old", html_body: "<p>of the first tab</p>" });
    expect((await submit(session, path, again)).status).toBe(303);
    expect(await stored()).toMatchObject({ subject: "of the second tab", html_body: "<p>old</p>" });
  });

  it("of a broadcast is not saved before it shows what is stored", async () => {
    const fields = { name: "News", subject: "old", from_address: workspace.mailbox, text_body: "T" };
    const { id } = await workspace.create("/v1/broadcasts/", fields);
    const path = `/app/broadcasts/${id}/content`;
    const form = await fieldsOf(await (await session.get(path)).text(), path);
    await workspace.call("PATCH", `/v1/broadcasts/${id}`, { subject: "of the API" });
    const refused = await submit(session, path, { ...form, preheader: "New" });
    expect(refused.status).toBe(409);
    const page = await refused.text();
    expect(page).toContain("of the API");
    expect(await (await workspace.get(`/v1/broadcasts/${id}`)).json()).toMatchObject({ preheader: null });
    const { version = "" } = await fieldsOf(page, path);
    expect((await submit(session, path, { ...form, preheader: "New", version })).status).toBe(303);
    const saved = await (await workspace.get(`/v1/broadcasts/${id}`)).json();
    expect(saved).toMatchObject({ preheader: "New", subject: "old" });
  });

  interface Overtaken {
    /** Page of the form, and what the API shows of it. */
    page: string;
    api: string;
    /** Change of the API meanwhile, and fields of the form. */
    patch: object;
    fields: Record<string, string>;
    /** Texts that the API then shows: those of the API and of the form. */
    stored: string;
    entered: string;
  }
  const NAMES = { stored: "of the API", entered: "of the form" };
  const created = async (path: string, body: object) => (await workspace.create(path, body)).id;

  const forms: [string, () => Promise<Overtaken>][] = [
    [
      "a contact",
      async () => {
        const list = await created("/v1/contacts/", { name: "Customers" });
        const path = `${list}/contacts/${await created(`/v1/contacts/${list}/contacts`, { email: "a@example.org" })}`;
        const fields = { email: "a@example.org", name: "of the form", metadata: "" };
        return {
          page: `/app/contacts/${path}`,
          api: `/v1/contacts/${list}/export`,
          patch: { name: "of the API" },
          fields,
          ...NAMES,
        };
      },
    ],
    [
      "a forwarding rule",
      async () => {
        const action = { type: "mailbox", target: workspace.mailboxId };
        const id = await created("/v1/forwarding-rules/", { domain_id: workspace.domainId, action });
        const fields = { from: "", to: "", subject: "of the form", ...action, position: "1", is_active: "on" };
        const patch = { match: { subject_contains: "of the API" } };
        return { page: `/app/forwarding/${id}`, api: `/v1/forwarding-rules/${id}`, patch, fields, ...NAMES };
      },
    ],
    [
      "a webhook",
      async () => {
        await publish([{ name: "hooks.kept.test", type: "A", value: "93.184.215.14" }]);
        const url = "https://hooks.kept.test/email";
        const id = await created("/v1/webhooks/", { url, events: ["email.bounced"] });
        const [stored, entered] = ["email.failed", "email.delivered"];
        const fields = { url, event: entered };
        return {
          page: `/app/webhooks/${id}`,
          api: `/v1/webhooks/${id}`,
          patch: { events: [stored] },
          fields,
          stored,
          entered,
        };
      },
    ],
    [
      "a mailbox",
      async () => {
        const id = workspace.mailboxId;
        const fields = { display_name: "of the form", quota_megabytes: "", is_active: "on" };
        return {
          page: `/app/mailboxes/${id}`,
          api: `/v1/mailboxes/${id}`,
          patch: { display_name: "of the API" },
          fields,
          ...NAMES,
        };
      },
    ],
    [
      "the workspace",
      async () => {
        const fields = { name: "of the form", tracking_opens: "", tracking_clicks: "" };
        return {
          page: "/app/settings",
          api: `/v1/workspaces/${workspace.workspaceId}`,
          patch: { name: "of the API" },
          fields,
          ...NAMES,
        };
      },
    ],
  ];

  it.each(forms)(
    "of %s is not saved before it shows what is stored, and is saved when it is sent again",
    async (_, make) => {
      const { page, api, patch, fields, stored, entered } = await make();
      const form = await fieldsOf(await (await session.get(page)).text(), page);
      const target = api.endsWith("/export") ? page.replace("/app", "/v1") : api;
      expect((await session.call("PATCH", target, patch)).status).toBe(200);
      const refused = await submit(session, page, { version: form.version ?? "", ...fields });
      expect(refused.status).toBe(409);
      const text = await refused.text();
      expect(text).toMatch(new RegExp(`as it is stored now</summary><pre>[^<]*${stored}`));
      expect(await (await session.get(api)).text()).toContain(stored);
      const { version = "" } = await fieldsOf(text, page);
      expect((await submit(session, page, { ...fields, version })).status).toBe(303);
      expect(await (await session.get(api)).text()).toContain(entered);
    },
  );
});
