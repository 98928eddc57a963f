import { beforeAll, describe, expect, it } from "vitest";
import { forwardCases } from "../../access/forward-cases.ts";
import { webhookCases } from "../../access/webhook-cases.ts";
import { aSession } from "../../support/sessions.ts";
import { aSystemWorkspace } from "../../support/transfers.ts";
import { aMember, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of webhooks, forwarding rules and the inbound log: their forms do what the API does. */

beforeAll(aSystemWorkspace);
const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));
const memberSession = perTest(async () =>
  aSession({ ...workspace, userId: (await aMember(workspace, "member")).userId }),
);

const textOf = async (path: string, by = session) => (await by.get(path)).text();
const locationOf = async (path: string, fields: Record<string, string> = {}) => {
  const response = await submit(session, path, fields);
  return response.headers.get("Location") ?? `${response.status} ${await response.text()}`;
};
const keyed = (fields: Record<string, string> = {}) => ({ idempotency_key: crypto.randomUUID(), ...fields });
const secretIn = (html: string) => /whsec_[A-Za-z0-9+/]{43}=/.exec(html)?.[0];
const URL = "https://hooks.access.test/email";

/** Creates a webhook with a finished delivery and returns the paths of their pages. */
async function aDelivery() {
  const create = webhookCases["GET /v1/webhooks/:webhook_id/deliveries/:delivery_id"]?.create;
  const ids = await create?.(workspace);
  const path = `/app/webhooks/${ids?.webhook_id}`;
  return { path, delivery: `${path}/deliveries/${ids?.delivery_id}` };
}

describe("the pages of webhooks", () => {
  it("create a webhook once however often the form is sent, and show its secret in that response only", async () => {
    await aDelivery();
    const form = keyed({ url: URL, event: "email.bounced" });
    const pages = await Promise.all([1, 2].map(async () => (await submit(session, "/app/webhooks/new", form)).text()));
    const [first, second] = pages.map(secretIn);
    expect([first, first]).toEqual([expect.stringMatching(/^whsec_/), second]);
    const list = await textOf("/app/webhooks");
    expect(list.match(/\/app\/webhooks\/[0-9a-f-]{36}/g)).toHaveLength(2);
    expect(secretIn(list)).toBeUndefined();
  });

  it("say that events are not delivered while live webhooks are off", async () => {
    const { path } = await aDelivery();
    const created = await submit(session, "/app/webhooks/new", keyed({ url: URL, event: "email.bounced" }));
    for (const page of [await created.text(), await textOf(path)])
      expect(page).toContain("Events are not delivered to this webhook: LIVE_WEBHOOKS is off");
  });

  it("show an invalid form again with its values, and a link to each wrong field", async () => {
    const issues: [Record<string, string>, string][] = [
      [{ url: URL }, "#events"],
      [{ url: "https://10.0.0.1/", event: "email.sent" }, "#url"],
      [{ url: "", event: "email.sent" }, "#url"],
      [{ url: URL, event: "email.unknown" }, "#events"],
      [{ url: `https://example.org/${"x".repeat(3000)}`, event: "email.sent" }, "#url"],
      [{ url: "https://example.org/\r\nHost: x", event: "email.sent" }, "#url"],
    ];
    for (const [form, link] of issues) {
      const response = await submit(session, "/app/webhooks/new", keyed(form));
      const html = await response.text();
      expect([response.status, html], link).toEqual([422, expect.stringContaining(`href="${link}"`)]);
      if (form.event === "email.sent") expect(html).toContain('value="email.sent" checked');
    }
    expect((await submit(session, "/app/webhooks/new", { url: URL, event: "email.sent" })).status).toBe(422);
    expect(await textOf("/app/webhooks")).toContain("No webhook yet.");
  });

  it("change, test, pause, resume and delete a webhook, and make a new secret", async () => {
    const { path } = await aDelivery();
    const changed = `${URL}?changed`;
    expect(await locationOf(path, { url: changed, event: "email.sent" })).toBe(`${path}?done=saved`);
    expect((await submit(session, path, { url: "no url", event: "email.sent" })).status).toBe(422);
    expect(await textOf(path)).toContain(changed);
    for (const [act, word] of [
      ["pause", "Paused"],
      ["resume", "Active"],
    ]) {
      expect(await locationOf(`${path}/${act}`)).toBe(`${path}?done=${act}d`);
      expect(await textOf(path)).toContain(
        `<span class="status ${word === "Paused" ? "warn" : "good"}">${word}</span>`,
      );
    }
    const test = keyed();
    for (const _ of [1, 2]) expect(await locationOf(`${path}/test`, test)).toBe(`${path}?done=tested`);
    expect(await textOf(path)).toContain("2 deliveries in 30 days");
    // The recipient and the subject of the sample event.
    for (const text of ["recipient@example.com", "A test of your webhook"]) expect(await textOf(path)).toContain(text);
    const [sample = ""] = /\/app\/webhooks\/[0-9a-f-]{36}\/deliveries\/[0-9a-f-]{36}/.exec(await textOf(path)) ?? [];
    expect(await textOf(sample)).toContain("None: this is a test");
    expect(await textOf(sample)).not.toMatch(/href="\/app\/emails\/[0-9a-f-]{36}"/);
    const before = /whsec_\*{4}(.{4})/.exec(await textOf(path))?.[1];
    expect(await textOf(`${path}/rotate`)).toContain("Make a new secret?");
    const rotated = secretIn(await (await submit(session, `${path}/rotate`)).text());
    expect(await textOf(path)).toContain(`whsec_****${rotated?.slice(-4)}`);
    expect(rotated?.slice(-4)).not.toBe(before);
    expect(await textOf(`${path}/delete`)).toContain("Delete this webhook?");
    expect(await locationOf(`${path}/delete`)).toBe("/app/webhooks?done=deleted");
    expect((await session.get(path)).status).toBe(404);
  });

  it("list deliveries by status, show one, and send it again once", async () => {
    const { path, delivery } = await aDelivery();
    expect(await textOf(`${path}?status=delivered`)).toContain(delivery);
    expect(await textOf(`${path}?status=failed`)).toContain("No delivery is failed.");
    expect(await textOf(`${path}?before=unknown`)).toContain("Nothing was posted");
    expect(await textOf(delivery)).toContain("Delivery of email.delivered");
    const form = keyed();
    const [first, second] = [
      await locationOf(`${delivery}/replay`, form),
      await locationOf(`${delivery}/replay`, form),
    ];
    expect(first).toMatch(/^\/app\/webhooks\/.*\/deliveries\/.*\?done=replayed$/);
    expect(second).toBe(first);
    expect(first).not.toContain(delivery);
    expect(await textOf(first)).toContain("This is the new delivery");
  });

  it("are not for members, except to look at nothing", async () => {
    const { path, delivery } = await aDelivery();
    const list = await textOf("/app/webhooks", memberSession);
    expect(list).not.toContain("/app/webhooks/new");
    expect(await textOf(delivery, memberSession)).not.toContain("/replay");
    for (const refused of [
      await memberSession.get("/app/webhooks/new"),
      await submit(memberSession, `${path}/test`, keyed()),
      await submit(memberSession, `${path}/rotate`),
      await submit(memberSession, `${delivery}/replay`, keyed()),
    ])
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("webhooks:manage")]);
  });
});

describe("the pages of forwarding rules", () => {
  const aRule = (changes: Record<string, string> = {}) =>
    keyed({
      scope: `domain:${workspace.domainId}`,
      ...{ from: "@example.org", to: "", subject: "invoice", position: "", is_active: "on" },
      ...{ type: "address", target: "books@example.net", ...changes },
    });

  it("create a rule that waits for its address to confirm, change it, switch it off and delete it", async () => {
    expect(await textOf("/app/forwarding")).toContain("No rule yet.");
    const form = aRule();
    const created = await locationOf("/app/forwarding/new", form);
    expect(created).toMatch(/^\/app\/forwarding\/[0-9a-f-]{36}\?done=created$/);
    expect(await locationOf("/app/forwarding/new", form)).toBe(created);
    const path = created.replace(/\?.*/, "");
    const page = await textOf(path);
    for (const text of ["has not confirmed yet", "from @example.org, subject contains invoice"])
      expect(page).toContain(text);
    expect(await locationOf(path, aRule({ type: "mailbox", target: workspace.mailbox }))).toBe(`${path}?done=saved`);
    const list = await textOf("/app/forwarding");
    for (const text of ["all of ", workspace.mailbox, "Active"]) expect(list).toContain(text);
    for (const act of ["disable", "enable"]) expect(await locationOf(`${path}/${act}`)).toBe(`${path}?done=${act}d`);
    expect(await textOf(`${path}/delete`)).toContain("Delete this rule?");
    expect(await locationOf(`${path}/delete`)).toBe("/app/forwarding?done=deleted");
    expect((await session.get(path)).status).toBe(404);
  });

  it("show the secret of a rule that posts to a URL in the response of the form only", async () => {
    await aDelivery();
    const form = aRule({ type: "webhook", target: URL });
    const html = await (await submit(session, "/app/forwarding/new", form)).text();
    expect(secretIn(html)).toBeDefined();
    const path = /\/app\/forwarding\/[0-9a-f-]{36}/.exec(html)?.[0] ?? "";
    expect(secretIn(await textOf(path))).toBeUndefined();
  });

  it("show an invalid form again with its values, and link to the wrong field", async () => {
    const issues: [Record<string, string>, string, number][] = [
      [{ target: "no address" }, "#target", 422],
      [{ type: "webhook", target: "http://127.0.0.1/" }, "#target", 422],
      [{ from: "no address" }, "#from", 422],
      [{ position: "first" }, "#position", 422],
      [{ type: "carrier-pigeon" }, "#target", 422],
      [{ scope: "" }, "#scope", 422],
    ];
    for (const [changes, link, status] of issues) {
      const response = await submit(session, "/app/forwarding/new", aRule(changes));
      const html = await response.text();
      expect([response.status, html], link).toEqual([status, expect.stringContaining(`href="${link}"`)]);
      expect(html).toContain('value="invoice"');
    }
    expect(await textOf("/app/forwarding")).toContain("No rule yet.");
  });

  it("refuse a domain and a mailbox of another workspace as unknown ones", async () => {
    const other = await aWorkspace();
    const foreign: Record<string, string>[] = [
      { scope: `domain:${other.domainId}` },
      { scope: `mailbox:${other.mailboxId}` },
      { type: "mailbox", target: other.mailboxId },
      { type: "mailbox", target: other.mailbox },
    ];
    for (const changes of foreign)
      expect((await submit(session, "/app/forwarding/new", aRule(changes))).status).toBe(404);
  });

  it("are read by members, who may not change them", async () => {
    const created = await locationOf("/app/forwarding/new", aRule({ type: "mailbox", target: workspace.mailbox }));
    const path = created.replace(/\?.*/, "");
    const html = await textOf(path, memberSession);
    expect(html).toContain("all of ");
    expect(html).not.toMatch(/<form[^>]*forwarding/);
    expect((await submit(memberSession, `${path}/disable`)).status).toBe(403);
    expect((await memberSession.get("/app/forwarding/new")).status).toBe(403);
  });
});

describe("the inbound log", () => {
  it("lists received emails, finds one, and shows its sender's checks and its way", async () => {
    expect(await textOf("/app/inbound")).toContain("No email was received yet.");
    const { message_id } = await forwardCases["GET /v1/emails/inbound/:message_id"].create(workspace);
    const path = `/app/inbound/${message_id}`;
    expect(await textOf("/app/inbound?q=from:ada")).toContain(path);
    expect(await textOf("/app/inbound?q=nothing")).toContain("No received email matches.");
    expect((await session.get(`/app/inbound?q=${"x".repeat(501)}`)).status).toBe(422);
    const page = await textOf(path);
    for (const text of ["A subject", "No trusted server has checked the sender.", "ada@example.org"])
      expect(page).toContain(text);
    expect(await textOf("/app/inbound", memberSession)).toContain("Only owners and admins");
  });
});
