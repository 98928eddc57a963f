import { describe, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The form of a new email: it is checked and shown before it is sent. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const PATH = "/app/emails/new";
const form = (changes: Record<string, string> = {}) => ({
  ...{ from_: workspace.mailbox, to: "friend@example.org", subject: "Hi", text: "Hello", html: "" },
  ...{ idempotency_key: crypto.randomUUID(), ...changes },
});
const check = async (changes: Record<string, string> = {}) => {
  const response = await submit(session, PATH, { ...form(changes), action: "check" });
  return { status: response.status, html: await response.text() };
};
const countOfEmails = async () => (await (await workspace.get("/v1/emails/")).json<unknown[]>()).length;

describe("the button Check of a new email", () => {
  it("says that nothing is wrong, keeps what was filled in, and sends nothing", async () => {
    const { status, html } = await check({ subject: "A <b> subject" });
    expect(status).toBe(200);
    expect(html).toContain("Nothing is wrong with this email. It has not been sent yet.");
    expect(html).toContain('value="A &lt;b&gt; subject"');
    expect(await countOfEmails()).toBe(0);
  });

  it("names suppressed recipients and unknown senders beside their fields", async () => {
    await workspace.post("/v1/suppressions/", { email: "gone@example.org" });
    const { status, html } = await check({ to: "gone@example.org, friend@example.org" });
    expect([status, html.includes("Nothing is wrong")]).toEqual([200, false]);
    expect(html).toContain('<a href="#to">gone@example.org is on the suppression list (');
    const unknown = await check({ from_: "somebody@elsewhere.example" });
    expect(unknown.html).toContain('<a href="#from_">');
    expect(await countOfEmails()).toBe(0);
  });

  it("shows addresses that are malformed or missing", async () => {
    const malformed = await check({ to: "nobody" });
    expect([malformed.status, malformed.html]).toEqual([
      200,
      expect.stringContaining('<a href="#to">Not a valid email address</a>'),
    ]);
    const empty = await check({ to: "" });
    expect([empty.status, empty.html.includes(`<a href="#to">`)]).toEqual([200, true]);
    expect(await countOfEmails()).toBe(0);
  });
});

describe("the preview of a new email", () => {
  const preview = (changes: Record<string, string>) => submit(session, "/app/emails/preview", form(changes));

  it("shows HTML without scripts, requests and origin, and text as it is", async () => {
    const shown = await preview({ html: "<p>Hi</p><img src=https://evil.example/a.png>" });
    const policy = shown.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("sandbox allow-popups");
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|https:/);
    expect(await shown.text()).toContain("<p>Hi</p>");
    expect(await (await preview({ text: "<script>alert(1)</script>" })).text()).toContain("<pre>&lt;script&gt;");
  });

  it("is only for callers who may send, from this site", async () => {
    expect((await session.post("/app/emails/preview", form(), { Origin: "https://evil.example" })).status).toBe(403);
  });
});

describe("an email from a template", () => {
  const aTemplate = async (of = workspace) => {
    const content = { subject: "For {{name}}", html_body: "<p>Hi {{name}} of {{city}}</p>", text_body: "Hi {{name}}" };
    return (await of.create("/v1/templates/", { name: "Receipt", ...content })).id;
  };
  const textOf = async (response: Response | Promise<Response>) => (await response).text();

  it("is chosen in a list, and keeps what was filled in", async () => {
    expect(await textOf(session.get(PATH))).not.toContain("Use a template");
    const id = await aTemplate();
    expect(await textOf(session.get(PATH))).toContain(`value="template:${id}"`);
    const chosen = await textOf(submit(session, PATH, form({ action: `template:${id}`, to: "kept@example.org" })));
    for (const part of [
      `name="template_id" value="${id}"`,
      'name="v.city"',
      'name="v.name"',
      'value="kept@example.org"',
    ])
      expect(chosen).toContain(part);
    expect(chosen).not.toContain("<textarea");
    const own = await textOf(submit(session, PATH, form({ template_id: id, action: "own", text: "Kept text" })));
    expect(own).toMatch(/<textarea[^>]*id="text"[^>]*>\s*Kept text/);
    expect(await textOf(session.get(`${PATH}?template=${id}`))).toContain(`name="template_id" value="${id}"`);
    expect(await countOfEmails()).toBe(0);
  });

  it("is shown and sent with the values of its placeholders, once, and with another subject", async () => {
    const template_id = await aTemplate();
    const values = { template_id, "v.name": "Ada <b>", subject: "" };
    const shown = await textOf(submit(session, "/app/emails/preview", form(values)));
    expect(shown).toContain("<p>Hi Ada &lt;b&gt; of city</p>");
    const sent = form({ ...values, "v.city": "Bath" });
    const locations = await Promise.all(
      [1, 2].map(async () => (await submit(session, PATH, sent)).headers.get("Location")),
    );
    expect(locations[0]).toMatch(/^\/app\/emails\/[0-9a-f-]{36}\?done=sent$/);
    expect(locations[1]).toBe(locations[0]);
    const emails = await (await workspace.get("/v1/emails/")).json<{ id: string }[]>();
    expect(emails).toHaveLength(1);
    expect(await (await workspace.get(`/v1/emails/${emails[0]?.id}`)).json()).toMatchObject({
      ...{ subject: "For Ada <b>", html_body: "<p>Hi Ada &lt;b&gt; of Bath</p>", text_body: "Hi Ada <b>" },
    });
    const other = await submit(session, PATH, form({ ...values, subject: "Another {{name}}" }));
    const id = other.headers.get("Location")?.split(/[/?]/)[3];
    expect(await (await workspace.get(`/v1/emails/${id}`)).json()).toMatchObject({ subject: "Another Ada <b>" });
  });

  it("of another workspace, or one that is deleted, is refused with the form", async () => {
    const foreign = await aTemplate(await aWorkspace());
    for (const template_id of [foreign, "unknown"]) {
      const refused = await submit(session, PATH, form({ template_id, subject: "" }));
      expect(refused.status).toBe(422);
      const page = await refused.text();
      expect(page).toContain("No template has this id");
      expect(page).not.toContain('name="template_id"');
      expect(await textOf(submit(session, "/app/emails/preview", form({ template_id })))).not.toContain("Hi name");
    }
    expect(await countOfEmails()).toBe(0);
  });
});
