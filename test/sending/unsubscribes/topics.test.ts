import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { receiveEmail } from "../../../src/mailboxes/inbound/index.ts";
import type { SuppressionOut } from "../../../src/sending/suppressions/index.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import type { Detail } from "../../support/sending.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aMail, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
let news: string;
let offers: string;
let hidden: string;
const anybody = apiWith(null);
const ADA = "ada@example.org";

beforeEach(async () => {
  news = (await aTopic(workspace, { name: "News <b>", description: "Once a month" })).id;
  offers = (await aTopic(workspace, { name: "Offers", default: "unsubscribed" })).id;
  hidden = (await aTopic(workspace, { name: "Internal", is_public: false })).id;
});

/** Sends an email and returns the link and the mailto address that the server received. */
async function sent(fields: object) {
  const server = await sinkServer();
  const api = workspace.withoutQueue;
  const { id } = await api.create("/v1/emails/", aMail(workspace, { to: [{ email: ADA }], ...fields }));
  await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
  const [message] = await server.messages();
  await server.close();
  const text = new TextDecoder().decode(message?.raw).replace(/\r\n[ \t]/g, " ");
  const [, link = "http://none/"] = /List-Unsubscribe: <([^>]*)>/.exec(text) ?? [];
  const [, mailto = ""] = /<mailto:([^?>]*)/.exec(text) ?? [];
  return { id, path: new URL(link).pathname, mailto };
}

const ada = () => personOf(workspace, ADA);
const states = async () => Object.fromEntries((await ada().read()).topics.map(({ name, state }) => [name, state]));
const entries = async () =>
  (await (await workspace.get("/v1/suppressions/")).json<SuppressionOut[]>()).map(({ topic_id }) => topic_id);
const events = async (id: string) => {
  const { events: all } = await (await workspace.get(`/v1/emails/${id}`)).json<Detail>();
  return all.filter(({ event_type }) => event_type === "unsubscribed").map(({ metadata }) => metadata);
};
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const submit = (path: string, fields: [string, string][]) =>
  anybody.call("POST", path, new URLSearchParams(fields).toString(), form);

describe("one-click unsubscribe of mail with a topic", () => {
  it("ends that topic alone, at once, and is idempotent", async () => {
    const { id, path } = await sent({ topic_id: news });
    const responses = await Promise.all([1, 2, 3].map(() => submit(path, [["List-Unsubscribe", "One-Click"]])));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await responses[0]?.text()).toContain("no more emails about News &lt;b&gt;");
    expect(await entries()).toEqual([news]);
    expect(await states()).toEqual({ "News <b>": "unsubscribed", Offers: "unsubscribed", Internal: "subscribed" });
    expect(await ada().state(news)).toBe("unsubscribed one-click");
    expect(await events(id)).toEqual([{ recipient: ADA, method: "one-click", topic_id: news, topic_name: "News <b>" }]);
    expect((await sent({ topic_id: hidden })).path).toMatch(/^\/u\//);
    expect((await sent({ unsubscribe: true })).path).toMatch(/^\/u\//);
    expect((await sent({ topic_id: news })).path).toBe("/");
  });

  it("works as a multipart form and without a body (RFC 8058 3.1)", async () => {
    const { path } = await sent({ topic_id: news });
    const multipart = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n';
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    expect((await anybody.call("POST", path, multipart, headers)).status).toBe(200);
    expect(await entries()).toEqual([news]);
    await workspace.call("DELETE", `/v1/suppressions/${encodeURIComponent(ADA)}?topic_id=${news}`);
    expect((await anybody.call("POST", path)).status).toBe(200);
    expect(await entries()).toEqual([news]);
  });

  it("by mailto ends that topic alone", async () => {
    const { id, mailto } = await sent({ topic_id: hidden });
    const raw = new Blob(["Subject: unsubscribe\r\n\r\n"]).stream();
    const message = { from: ADA, to: mailto, headers: new Headers(), raw, rawSize: 24, setReject: () => {} };
    await receiveEmail(message as unknown as ForwardableEmailMessage, env);
    expect(await entries()).toEqual([hidden]);
    expect(await events(id)).toMatchObject([{ method: "mailto", topic_id: hidden }]);
  });

  it("without a topic, or of a topic that was deleted, ends all bulk mail", async () => {
    for (const fields of [{ unsubscribe: true }, { topic_id: news }]) {
      const { path } = await sent(fields);
      if ("topic_id" in fields) await workspace.call("DELETE", `/v1/topics/${news}`);
      await submit(path, [["List-Unsubscribe", "One-Click"]]);
      expect(await entries()).toEqual([null]);
      await workspace.call("DELETE", `/v1/suppressions/${encodeURIComponent(ADA)}`);
    }
  });
});

describe("the page behind the link", () => {
  it("shows the topic of the mail, each public topic with its state, and all mail; a GET changes nothing", async () => {
    const { path } = await sent({ topic_id: news });
    const page = await anybody.get(path);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain("Unsubscribe from News &lt;b&gt;");
    expect(text).toMatch(new RegExp(`<input type="checkbox" name="topic" value="${news}" checked`));
    expect(text).toMatch(new RegExp(`<input type="checkbox" name="topic" value="${offers}"/>`));
    expect(text).toContain("Unsubscribe from all mailings");
    expect(text).not.toContain("Internal");
    expect(text).not.toContain("<script");
    await anybody.call("HEAD", path);
    expect(await entries()).toEqual([]);
  });

  it("of mail of an internal topic shows that too, to leave it; of another mail it cannot be joined", async () => {
    const { path } = await sent({ topic_id: hidden });
    expect(await (await anybody.get(path)).text()).toContain("Unsubscribe from Internal");
    await submit(path, [["action", "topic"]]);
    expect(await entries()).toEqual([hidden]);
    await submit(path, [
      ["action", "save"],
      ["shown", hidden],
      ["topic", hidden],
    ]);
    expect(await entries()).toEqual([hidden]);
    const other = await sent({ topic_id: news });
    await submit(other.path, [
      ["action", "save"],
      ["shown", hidden],
      ["topic", hidden],
    ]);
    expect(await entries()).toEqual([hidden]);
  });

  it("saves what was checked: it leaves and joins public topics, and changes none that it did not show", async () => {
    const { id, path } = await sent({ topic_id: news });
    const later = (await aTopic(workspace, { name: "Later" })).id;
    const response = await submit(path, [
      ["action", "save"],
      ...[news, offers].map((each): [string, string] => ["shown", each]),
      ["topic", offers],
    ]);
    expect(await response.text()).toContain("Your choice is saved");
    expect(await states()).toEqual({
      ...{ "News <b>": "unsubscribed", Offers: "subscribed" },
      ...{ Internal: "subscribed", Later: "subscribed" },
    });
    expect(await ada().state(later)).toBe("subscribed null");
    expect(await ada().state(offers)).toBe("subscribed page");
    expect(await events(id)).toEqual([{ recipient: ADA, method: "page", topic_id: news, topic_name: "News <b>" }]);
  });

  it("ends all mail, and a topic that is chosen later lets the sender write again", async () => {
    const { path } = await sent({ topic_id: news });
    expect(await (await submit(path, [["action", "all"]])).text()).toContain("unsubscribed from all mailings");
    expect(await entries()).toEqual([null]);
    expect((await sent({ topic_id: news })).path).toBe("/");
    const page = await (await anybody.get(path)).text();
    expect(page).not.toContain("checked");
    const shown = [news, offers].map((each): [string, string] => ["shown", each]);
    await submit(path, [["action", "save"], ...shown]);
    expect(await entries()).toEqual([null, news]);
    await submit(path, [["action", "save"], ...shown, ["topic", offers]]);
    expect(await entries()).toEqual([news]);
    expect((await sent({ topic_id: offers })).path).toMatch(/^\/u\//);
    expect((await sent({ topic_id: news })).path).toBe("/");
  });

  it("leaves an entry for another reason when a person joins again", async () => {
    const { path } = await sent({ topic_id: news });
    await submit(path, [["action", "all"]]);
    await workspace.post("/v1/suppressions/", { email: ADA, reason: "complaint" });
    await submit(path, [
      ["action", "save"],
      ["shown", news],
      ["topic", news],
    ]);
    const [entry] = await (await workspace.get("/v1/suppressions/")).json<SuppressionOut[]>();
    expect(entry).toMatchObject({ reason: "complaint", topic_id: null });
    expect((await ada().read()).unsubscribed_from_all).toBe(false);
  });

  it("takes no topic of another workspace, no wrong token and no huge form", async () => {
    const foreign = await aTopic(await aWorkspace());
    const { path } = await sent({ topic_id: news });
    await submit(path, [
      ["action", "save"],
      ["shown", foreign.id],
      ["shown", "\0\r\n"],
    ]);
    expect(await entries()).toEqual([]);
    expect((await submit("/u/unknown", [["action", "all"]])).status).toBe(404);
    expect((await submit(path, [["action", "x".repeat(100_000)]])).status).toBe(413);
  });
});
