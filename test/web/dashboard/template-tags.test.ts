import { describe, expect, it } from "vitest";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import {
  aList,
  anEvent,
  emailsOf as automationEmailsOf,
  automationsOf,
  runEngine,
} from "../../audience/automations/support.ts";
import { broadcastsOf, emailsOf, runBroadcasts } from "../../audience/broadcasts/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** Liquid tags in blocks of a template: rendered wherever the template is sent, or refused where it is saved. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const PLAN = "{% if plan == 'pro' %}Pro <3{% else %}Free{% endif %}";
const BLOCKS = [
  { type: "heading", text: `H ${PLAN}` },
  { type: "text", text: `T\n\n{% for line in (1..2) %}\n\nL{{ line }}\n\n{% endfor %}\n\n${PLAN}` },
  { type: "button", text: `B ${PLAN}`, url: "https://example.org/{% if plan == 'pro' %}pro{% endif %}" },
  { type: "image", text: `I ${PLAN}`, url: "https://example.org/{% if plan == 'pro' %}p{% endif %}.png" },
  { type: "columns", text: `C ${PLAN}`, rightText: `R ${PLAN}` },
];

const formOf = (blocks: readonly object[]) => ({
  ...{ editor: "blocks", name: "Tags", subject: "Tags", action: "save", idempotency_key: crypto.randomUUID() },
  ...Object.fromEntries(
    blocks.flatMap((block, index) => Object.entries(block).map(([name, value]) => [`b.${index}.${name}`, value])),
  ),
});

const create = (blocks: readonly object[]) => submit(session, "/app/templates/new", formOf(blocks));

async function aTemplate() {
  const created = await create(BLOCKS);
  expect(created.status, await created.clone().text()).toBe(303);
  const id = /[0-9a-f-]{36}/.exec(created.headers.get("Location") ?? "")?.[0] ?? "";
  const template = await workspace.get(`/v1/templates/${id}`);
  return template.json<{ id: string; language: string; html_body: string; text_body: string }>();
}

const PARAGRAPHS = /<p[^>]*>T<\/p>\s*<p[^>]*>L1<\/p>\s*<p[^>]*>L2<\/p>\s*<p[^>]*>Pro &lt;3<\/p>/;

/** Checks that both parts of a content have what the tags decide, and no tag. */
function expectRendered({ html_body, text_body }: Pick<DetailOut, "html_body" | "text_body">) {
  for (const letter of "HBICR") {
    expect(html_body).toContain(`${letter} Pro &lt;3`);
    expect(text_body).toContain(`${letter} Pro <3`);
  }
  expect(html_body).toMatch(PARAGRAPHS);
  expect(html_body).toContain('src="https://example.org/p.png"');
  expect(text_body).toContain("T\n\nL1\n\nL2\n\nPro <3\n");
  expect(`${html_body}${text_body}`).not.toMatch(/\{%|%\}|&#123;%|endif|Free/);
}

const detailOf = async (id: string) => (await workspace.get(`/v1/emails/${id}`)).json<DetailOut>();
const contact = { email: "delivered+a@simulator.test", name: "Ada", metadata: { plan: "pro" } };

describe("tags in blocks are rendered", () => {
  it("in previews, single emails and tests of the template", async () => {
    const { id, language } = await aTemplate();
    expect(language).toBe("liquid");
    const variables = { plan: "pro" };
    const preview = await workspace.post(`/v1/templates/${id}/preview`, { variables });
    expectRendered(await preview.json());
    const page = await submit(session, "/app/templates/preview", { ...formOf(BLOCKS), "v.plan": "pro" });
    expect(await page.text()).toMatch(PARAGRAPHS);
    const mail = aMail(workspace, { subject: undefined, text: undefined, template_id: id, variables });
    expect(await (await workspace.post("/v1/emails/validate", mail)).json()).toMatchObject({ valid: true });
    const sent = await workspace.create("/v1/emails/", mail);
    expectRendered(await detailOf(sent.id));
    const test = { from_: workspace.mailbox, to: contact.email, idempotency_key: crypto.randomUUID(), "v.plan": "pro" };
    const { headers } = await submit(session, `/app/templates/${id}/test`, test);
    expectRendered(await detailOf(/[0-9a-f-]{36}/.exec(headers.get("Location") ?? "")?.[0] ?? ""));
  });

  it("in broadcasts", async () => {
    const { language, html_body, text_body } = await aTemplate();
    const broadcasts = broadcastsOf(workspace);
    const list = await broadcasts.expectJson<{ id: string }>(await workspace.post("/v1/contacts/", { name: "L" }), 201);
    await workspace.post(`/v1/contacts/${list.id}/contacts`, contact);
    const { id } = await broadcasts.create({ contact_list_id: list.id, subject: "S", language, html_body, text_body });
    expect((await broadcasts.act(id, "send")).status).toBe(200);
    await runBroadcasts();
    const [email] = await emailsOf(id);
    expectRendered(await detailOf(email?.id ?? ""));
  });

  it("in test emails of broadcasts", async () => {
    const { language, html_body, text_body } = await aTemplate();
    const broadcasts = broadcastsOf(workspace);
    const { id } = await broadcasts.create({ subject: "S", language, html_body, text_body });
    const response = await broadcasts.api.post(`${broadcasts.path(id)}/test`, { to: [contact.email] });
    const { emails } = await broadcasts.expectJson<{ emails: { id: string }[] }>(response, 202);
    const { html_body: html, text_body: text } = await detailOf(emails[0]?.id ?? "");
    // A test has no contact, and so no plan.
    expect([html, text]).toEqual([expect.stringContaining("H Free"), expect.stringContaining("T\n\nL1\n\nL2\n\nFree")]);
    expect(`${html}${text}`).not.toMatch(/\{%|&#123;%|endif|Pro/);
  });

  it("in automations", async () => {
    const { id: template_id } = await aTemplate();
    await aList(workspace, [contact]);
    const step = { kind: "send_email", mailbox_id: workspace.mailboxId, template_id };
    await automationsOf(workspace).start({ steps: [step] });
    await anEvent(workspace, contact.email);
    await runEngine();
    const [email] = await automationEmailsOf(workspace);
    expectRendered(await detailOf(email?.id ?? ""));
  });
});

describe("a tag that is not rendered", () => {
  const hello = { type: "heading", text: "Hello" };
  const open = { type: "text", text: "Dear\n{% if plan %}you" };
  const close = { type: "text", text: "and more {% endif %}" };

  it.each([
    [[hello, open, close], "b.1.text", "Block 2: line 2, column 1: tag {% if plan %} not closed"],
    [[hello, { ...close, type: "button", url: "https://a.example/" }], "b.1.text", "Block 2: line 1, column 10: tag"],
    [[hello, { type: "image", url: "https://a.example/{% a %}" }], "b.1.url", "Block 2: line 1, column 19: tag"],
    [[{ type: "columns", rightText: "{% shout %}" }], "b.0.rightText", "Block 1: line 1, column 1: tag"],
  ])(
    "is refused with block, line and column when a template is made, changed or shown: %j",
    async (blocks, field, message) => {
      const { id, html_body } = await aTemplate();
      for (const path of ["/app/templates/new", `/app/templates/${id}`]) {
        const refused = await submit(session, path, formOf(blocks));
        const page = await refused.text();
        expect([refused.status, page.includes(`href="#${field}"`)]).toEqual([422, true]);
        expect(page).toContain(message);
      }
      expect(await (await workspace.get(`/v1/templates/${id}`)).json()).toMatchObject({ html_body });
      const shown = await submit(session, "/app/templates/preview", formOf(blocks));
      expect(await shown.text()).toContain(`<p>${message}`);
    },
  );
});
