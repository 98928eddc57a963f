import { describe, expect, it } from "vitest";
import type { BroadcastOut } from "../../../src/audience/broadcasts/index.ts";
import { aWorkspace, createApiWithoutQueue, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));
const stranger = createApiWithoutQueue(null);

const html_body =
  '<html><body><h1>Hello {{name}}</h1><script>alert(1)</script><a href="{{web_version_url}}">Online</a><a href="{{unsubscribe_url}}">Leave</a></body></html>';

const show = async (id: string) => broadcasts.expectJson<BroadcastOut>(await broadcasts.act(id, "web-version"), 200);
const takeBack = (id: string) => broadcasts.api.call("DELETE", `${broadcasts.path(id)}/web-version`);
const pathOf = ({ web_version_url: url }: BroadcastOut) => new URL(url ?? "").pathname;
const read = async (path: string) => (await stranger.get(path)).text();

describe("the web version of a broadcast", () => {
  it("is off until it is shown, has no value of a contact and no link of a person, and runs nothing", async () => {
    const draft = await broadcasts.create({ html_body, subject: "News <b>for</b> {{name}}" });
    expect(draft.web_version_url).toBeNull();
    const path = pathOf(await show(draft.id));
    expect(path).toMatch(/^\/w\/[\w-]{52}$/);
    const response = await stranger.get(path);
    expect(response.status).toBe(200);
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'; img-src data: https: http:; form-action 'none'/,
    );
    expect(policy).toMatch(/; sandbox allow-popups allow-popups-to-escape-sandbox$/);
    const html = await response.text();
    expect(html).toContain("<h1>Hello </h1>");
    expect(html).toContain(
      `<a href="${new URL(path, (await broadcasts.read(draft.id)).web_version_url ?? "")}">Online</a>`,
    );
    expect(html).not.toMatch(/Leave|unsubscribe|\/u\//i);
    expect(html).toContain("<title>News &lt;b&gt;for&lt;/b&gt; </title>");
    expect(html).toContain('<link rel="icon" href="data:,">');
    expect(html).toMatch(/<b>w\d+-\w+<\/b>/);
  });

  it("keeps its address while it is shown; taken back it is a 404, and shown again it has another address", async () => {
    const { id } = await broadcasts.create({ html_body });
    const first = pathOf(await show(id));
    expect(pathOf(await show(id))).toBe(first);
    expect((await takeBack(id)).status).toBe(200);
    expect((await stranger.get(first)).status).toBe(404);
    expect((await takeBack(id)).status).toBe(200);
    const second = pathOf(await show(id));
    expect(second).not.toBe(first);
    expect((await stranger.get(first)).status).toBe(404);
    expect((await stranger.get(second)).status).toBe(200);
    const other = await aWorkspace();
    expect((await other.call("POST", `/v1/broadcasts/${id}/web-version`)).status).toBe(404);
    for (const path of ["/w/x", `${second.slice(0, -1)}${second.endsWith("A") ? "B" : "A"}`, `${second}A`])
      expect((await stranger.get(path)).status, path).toBe(404);
  });

  it("gives its address to each email, and a broadcast that links to it without one is refused", async () => {
    const contact_list_id = await aContactList(workspace, 2);
    const { id } = await broadcasts.create({ html_body, contact_list_id });
    const refused = await broadcasts.act(id, "send");
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("is not shown on the web")]);
    const { web_version_url: url } = await show(id);
    await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
    await runBroadcasts();
    const [email] = await emailsOf(id);
    const detail = await (await workspace.get(`/v1/emails/${email?.id}`)).json<{ html_body: string }>();
    expect(detail.html_body).toContain(`"${url}"`);
    expect(await read(pathOf(await broadcasts.read(id)))).toContain("Hello");
  });

  it("fills Liquid in with its fallbacks, and shows a text when there is no HTML", async () => {
    const liquid = await broadcasts.create({
      language: "liquid",
      html_body: '<p>Hi {{ name | default: "there" }}{% if city %} of {{ city }}{% endif %}</p>{{ web_version_url }}',
    });
    const shown = await show(liquid.id);
    expect(await read(pathOf(shown))).toContain(`<p>Hi there</p>${shown.web_version_url}`);
    const text = await broadcasts.create({ html_body: null, text_body: "Hello <you>" });
    expect(await read(pathOf(await show(text.id)))).toContain("Hello &lt;you&gt;");
  });
});
