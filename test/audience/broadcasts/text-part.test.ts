/** Broadcasts with HTML only: each content gets a text, with the values of each contact, unless the broadcast wants none. */
import { expect, it } from "vitest";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { database } from "../../support/databases.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

/** Sends a broadcast to contacts. Returns their emails in the order of their addresses. */
async function sent(id: string): Promise<DetailOut[]> {
  const response = await broadcasts.act(id, "send");
  expect(response.status, await response.clone().text()).toBe(200);
  await runBroadcasts();
  const rows = (await emailsOf(id)).toSorted((a, b) => a.email.localeCompare(b.email));
  return Promise.all(rows.map(async (row) => (await broadcasts.api.get(`/v1/emails/${row.id}`)).json<DetailOut>()));
}

const sourceOf = async ({ id }: { id?: string } = {}) => (await broadcasts.api.get(`/v1/emails/${id}/source`)).text();

it("an email leaves as multipart/alternative with the text of its content, which the broadcast does not store", async () => {
  const { id } = await broadcasts.create({
    contact_list_id: await aContactList(workspace, 2),
    preheader: "Before all",
    html_body: '<style>p{}</style><p>Hello {{name}} of <i>{{city}}</i></p><a href="{{unsubscribe_url}}">No more</a>',
  });
  const emails = await sent(id);
  expect(emails).toHaveLength(2);
  expect(emails[1]?.text_body).toMatch(/^Hello Person 1 of Ulm\n\nNo more <https?:\/\/[^>]+\/u\/[^>]+>$/);
  expect(await sourceOf(emails[0])).toContain("Content-Type: multipart/alternative");
  expect(await broadcasts.read(id)).toMatchObject({ text_body: null, text_from_html: true, status: "sent" });
  expect(await database.value("SELECT text_body FROM broadcasts WHERE id = ?1", [id])).toBeNull();
});

it("each variant without a text has that of its own HTML, and a text of the broadcast counts for all", async () => {
  const list = await aContactList(workspace, 8);
  const make = async (changes: object) => {
    const { id } = await broadcasts.create({ contact_list_id: list, html_body: "<p>Own</p>", ...changes });
    await broadcasts.addVariant(id, "A", { html_body: "<p>First</p>" });
    await broadcasts.addVariant(id, "B");
    const texts = (await sent(id)).map(({ text_body }) => text_body?.split("\n")[0]);
    return [...new Set(texts)].sort();
  };
  expect(await make({})).toEqual(["First", "Own"]);
  expect(await make({ text_body: "Written" })).toEqual(["Written"]);
});

it("Liquid and its templates have their texts, and HTML whose Liquid has no meaning as a text has none", async () => {
  await broadcasts.expectJson(
    await broadcasts.api.post("/v1/templates/", {
      name: "foot",
      language: "liquid",
      html_body: "<p>F</p>",
      text_body: "F",
    }),
    201,
  );
  const list = await aContactList(workspace, 1);
  const textOf = async (html_body: string) => {
    const { id } = await broadcasts.create({ language: "liquid", subject: "S", contact_list_id: list, html_body });
    const [email] = await sent(id);
    expect([email?.status, email?.html_body]).toEqual(["delivered", expect.any(String)]);
    return email?.text_body;
  };
  expect(
    await textOf("<p>{% if city == 'Ulm' %}<b>{{ city | upcase }}</b>{% else %}-{% endif %}</p>{% render 'foot' %}"),
  ).toMatch(/^ULM\n\nF\n\nUnsubscribe: /);
  expect(await textOf("<style>{% if city %}</style><p>a</p>{% endif %}")).toBeNull();
  expect(await textOf("<p {% if city %}class=a{% endif %}>a</p>")).toMatch(/^a\n\nUnsubscribe: /);
  // A condition in comments would be lost, and its text be shown to all.
  expect(await textOf("<p>a</p><!-- {% if city == 'Bonn' %} --><p>b</p><!-- {% endif %} -->")).toBeNull();
  expect(await textOf("<p>&#123;&#123; city }}</p>")).toBeNull();
});

it("text_from_html: false leaves emails with HTML only; a copy keeps it, and a patch of another field does too", async () => {
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 1), text_from_html: false });
  await broadcasts.expectJson(await broadcasts.api.call("PATCH", broadcasts.path(id), { subject: "S" }), 200);
  const copy = await broadcasts.expectJson<{ id: string }>(await broadcasts.act(id, "copy"), 201);
  for (const one of [id, copy.id]) expect(await broadcasts.read(one)).toMatchObject({ text_from_html: false });
  const [email] = await sent(id);
  expect(email?.text_body).toBeNull();
  expect(await sourceOf(email)).not.toContain("multipart/alternative");
  const changed = await broadcasts.api.call("PATCH", broadcasts.path(copy.id), { text_from_html: true });
  expect(await changed.json()).toMatchObject({ text_from_html: true });
});
