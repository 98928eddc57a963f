import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { PersonExportOut } from "../../src/audience/people/schema.ts";
import { newUnsubscribeAddress } from "../../src/platform/mail-tokens/index.ts";
import { unsubscribe } from "../../src/sending/unsubscribes/index.ts";
import { FILE_SHARD, MAIL_BINDING } from "../support/databases.ts";
import { runOutboxAt } from "../support/run-outbox-at.ts";
import { run } from "../support/sending.ts";
import { aSession } from "../support/sessions.ts";
import { scriptedServer } from "../support/smtp-control.ts";
import { aMail, aWorkspace, createApiWithoutQueue, type TestWorkspace, testContext } from "../support/workspace.ts";
import { broadcastsOf, emailsOf, runBroadcasts } from "./broadcasts/support.ts";
import { captureMails, listsOf } from "./consent/support.ts";
import { erase, placesOf } from "./people/support.ts";

/**
 * A workspace that has outgrown its mail database and got another one for its mail: its lists, contacts and broadcasts stay in the
 * first (docs/architecture.md#databases), which is that of the test file.
 */
const NEWEST = 1 - FILE_SHARD;

let workspace: TestWorkspace;
let lists: ReturnType<typeof listsOf>;
beforeEach(async () => {
  workspace = await aWorkspace();
  await run("UPDATE workspaces SET mail_shards = ?2 WHERE id = ?1", workspace.workspaceId, `[${NEWEST},${FILE_SHARD}]`);
  lists = listsOf(workspace);
});

const count = async (binding: "MAIL_0" | "MAIL_1", table: string) =>
  env[binding]
    .prepare(`SELECT count(*) AS n FROM ${table} WHERE workspace = ?1`)
    .bind(workspace.workspaceNumber)
    .first("n");
const OTHER_BINDING = MAIL_BINDING === "MAIL_0" ? "MAIL_1" : "MAIL_0";

describe("with two mail databases", () => {
  it("the API, forms, confirmations and pages have the same contacts, in the first", async () => {
    const { id } = await lists.list();
    const { url } = await lists.json<{ url: string }>(
      await lists.api.post(`/v1/contacts/${id}/forms`, { name: "Footer", title: "Our news", text: "Once a month." }),
      201,
    );
    const visitor = createApiWithoutQueue(null);
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await visitor.call("POST", new URL(url).pathname, "email=form@example.org", type)).status).toBe(200);
    await lists.add(id, "api@example.org");
    expect(await lists.statuses(id)).toEqual({ "form@example.org": "pending", "api@example.org": "pending" });
    const mails = await captureMails();
    expect(mails.map(({ to }) => to).sort()).toEqual(["api@example.org", "form@example.org"]);
    for (const { path } of mails) expect((await visitor.call("POST", path, "", type)).status).toBe(200);
    expect(await lists.statuses(id)).toEqual({ "form@example.org": "active", "api@example.org": "active" });
    const session = await aSession(workspace);
    const pages = [`/app/contacts/${id}`, "/app/search?q=form@example"];
    for (const path of pages) expect(await (await session.get(path)).text(), path).toContain("form@example.org");
    for (const table of ["contacts", "consents", "confirmations", "contact_forms", "contact_lists"])
      expect([table, await count(OTHER_BINDING, table)]).toEqual([table, 0]);
    expect(await count(MAIL_BINDING, "contacts")).toBe(2);
  });

  it("a broadcast goes to the contacts, and what stops mail to an address marks its contact, wherever it comes from", async () => {
    const { id } = await lists.list({ confirm: false });
    const [delivered, listed, bounced, left] = [
      "delivered+a@simulator.test",
      "delivered+listed@simulator.test",
      "gone@example.org",
      "left@example.org",
    ] as const;
    const addresses = [delivered, listed, bounced, left];
    for (const address of addresses) await lists.add(id, address);
    await lists.api.post("/v1/suppressions/", { email: listed, reason: "manual" });
    // Single emails are in the newest database.
    const send = async (email: string, changes = {}) =>
      lists.json<{ id: string }>(
        await lists.api.post("/v1/emails/", aMail(workspace, { to: [{ email }], ...changes })),
        202,
      );
    await send(bounced);
    const { id: emailId } = await send(left, { unsubscribe: true });
    const server = await scriptedServer({ recipients: { [bounced]: "550 5.1.1 no such user" } });
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"], NEWEST);
    await server.close();
    const mail = { workspace: workspace.workspaceNumber, emailId, recipient: 0 as const };
    const { masterKeys, bounceDomain } = testContext().settings;
    await unsubscribe(testContext(), await newUnsubscribeAddress(masterKeys, mail, bounceDomain), "mailto");
    const { contacts } = await (await lists.api.get(`/v1/contacts/${id}`)).json<{
      contacts: { email: string; suppressed: boolean; subscribed: boolean }[];
    }>();
    expect(
      Object.fromEntries(contacts.map(({ email, suppressed, subscribed }) => [email, suppressed || !subscribed])),
    ).toEqual(Object.fromEntries(addresses.map((address) => [address, address !== delivered])));
    const broadcasts = broadcastsOf(workspace);
    const broadcast = await broadcasts.create({ contact_list_id: id, html_body: "<p>News</p>", subject: "News" });
    expect((await broadcasts.act(broadcast.id, "send")).status).toBe(200);
    await runBroadcasts();
    expect((await emailsOf(broadcast.id)).map(({ email, status }) => [email, status])).toEqual([
      [delivered, "delivered"],
    ]);
    expect(await broadcasts.read(broadcast.id)).toMatchObject({ status: "sent" });
  });

  it("an export has the emails of both, each once and newest first, and an erasure leaves nothing in either", async () => {
    const address = "delivered+ada@simulator.test";
    const { id } = await lists.list({ confirm: false });
    await lists.add(id, address);
    const single = async () => {
      const mail = aMail(workspace, { to: [{ email: address }] });
      return (await lists.json<{ id: string }>(await lists.api.post("/v1/emails/", mail), 202)).id;
    };
    const early = await single();
    const broadcasts = broadcastsOf(workspace);
    const news = await broadcasts.create({ contact_list_id: id, html_body: "<p>News</p>", subject: "News" });
    await broadcasts.act(news.id, "send");
    await runBroadcasts();
    const late = await single();
    await runOutboxAt(Date.now() + 1_000, {}, ["deliver"], NEWEST);
    const [bulk] = await emailsOf(news.id);
    const exported: PersonExportOut[] = [];
    let path: string | undefined = `/v1/people/${encodeURIComponent(address)}/export?limit=1`;
    while (path !== undefined) {
      const response: Response = await lists.api.get(path);
      exported.push(await response.clone().json<PersonExportOut>());
      path = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    expect(exported.flatMap(({ emails }) => emails.map((email) => email.id))).toEqual([late, bulk?.id, early]);
    expect(exported.flatMap(({ contacts }) => contacts)).toHaveLength(1);
    for (const place of ["MAIL_0 emails", "MAIL_1 emails"]) expect(await placesOf(workspace, address)).toContain(place);
    expect(await erase(workspace, address)).toMatchObject({ status: "done", removed: { contacts: 1, emails: 3 } });
    expect(await placesOf(workspace, address)).toEqual([]);
  });
});
