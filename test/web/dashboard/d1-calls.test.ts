import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { automationCases } from "../../access/automation-cases.ts";
import { inboxCases } from "../../access/inbox-cases.ts";
import { pictureCases } from "../../access/picture-cases.ts";
import { segmentCases } from "../../access/segment-cases.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { createGrant } from "../../support/oauth.ts";
import { callRoute, mountedRoutes } from "../../support/route-tests.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aSystemWorkspace } from "../../support/transfers.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, type TestWorkspace } from "../../support/workspace.ts";
import { foreignIds } from "./support.ts";

/** How often a page calls D1. Each call is a round trip, so a page may make one to authenticate and one to each database. */

/** The page that calls the main database twice beyond its session: for the receivers of the domains that it counted. */
const TWICE = "GET /app/domains/:domain_id/deliverability";

/** Calls to the mail database of the pages that need more than one. */
const exceptions: Readonly<Record<string, { calls: number; reason: string }>> = {
  "GET /app/emails": { calls: 2, reason: "the reasons of the failed rows that the search found" },
  "GET /app/emails/scheduled": { calls: 2, reason: "the end of the page, then its rows, which may be long" },
  "GET /app/broadcasts/:broadcast_id/promote/:variant_id": {
    calls: 3,
    reason: "a draft has no winner: its page says so, after one call that finds it out",
  },
  "GET /app/automations/:automation_id": { calls: 2, reason: "the automation, then its runs" },
  "GET /app/automations/:automation_id/runs/:run_id": { calls: 2, reason: "the automation, then its run" },
  "GET /app/contacts/:list_id/contacts/:contact_id/timeline": {
    calls: 4,
    reason: "the contact, then what happened to its person, and the emails that a search found with their events",
  },
  "GET /app/broadcasts/:broadcast_id/skipped": { calls: 2, reason: "the broadcast, then whom it skipped" },
  "GET /app/contacts/:list_id/forms": { calls: 2, reason: "the list, then its forms" },
  "GET /app/segments/:segment_id/people": { calls: 2, reason: "the segment, then its people" },
  "GET /app/broadcasts/:broadcast_id/recipients": {
    calls: 3,
    reason: "the broadcast, then its emails, and the end of those that were read for them",
  },
  "GET /app/broadcasts/:broadcast_id/html": { calls: 2, reason: "the broadcast, then the oldest contact of its list" },
  "GET /app/broadcasts/:broadcast_id/test": { calls: 2, reason: "the broadcast, then the oldest contact of its list" },
  "GET /app/broadcasts/:broadcast_id/review": { calls: 2, reason: "the list of the broadcast, then its audience" },
};

/** Pages of rows of this test that have another status than 200. */
const statuses: Readonly<Record<string, number>> = {
  // A draft is opened at a step.
  "GET /app/broadcasts/:broadcast_id": 303,
  "GET /app/broadcasts/:broadcast_id/promote/:variant_id": 409,
  // The step waits.
  "GET /app/automations/:automation_id/steps/:step/html": 404,
};

/** No pages: a sign-in without a session, a socket, files that are read in parts, files of mail programs, and the response to a form. */
const elsewhere = [
  ...[
    "GET /mail/sign-in",
    "GET /mail/events/:mailbox_id",
    "GET /mail/config-v1.1.xml",
    "GET /mail/profile.mobileconfig",
  ],
  ...["GET /app/contacts/:list_id/contacts/:contact_id/export"],
  ...["GET /app/contacts/:list_id/export", "GET /mail/export/:mailbox_id", "GET /app/admin/domain-claims/end"],
];
const pages = mountedRoutes().filter((route) => /^GET \/(app|mail)(\/|$)/.test(route) && !elsewhere.includes(route));

let workspace: TestWorkspace;
let ids: Record<string, string>;

beforeAll(async () => {
  await aSystemWorkspace();
  workspace = await aWorkspace();
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
  ids = await withRows();
});

/** Fills a workspace, so that no page skips a read because it has no rows, and returns the parameters of the pages. */
async function withRows(): Promise<Record<string, string>> {
  const send = async (changes: Record<string, unknown>) =>
    (await workspace.create("/v1/emails/", aMail(workspace, changes))).id;
  const email_id = await send({ html: "<p>Hello</p>" });
  await send({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
  await send({ to: [{ email: "bounced@simulator.test" }] });
  await runOutboxAt(Date.now());
  const letter_id = crypto.randomUUID();
  const letter = "INSERT INTO dead_letters (id, queue, body, recorded_at) VALUES (?1, 'work-dead', '{}', 1)";
  await env.DB.prepare(letter).bind(letter_id).run();
  const key = env.DB.prepare("SELECT id FROM api_keys WHERE workspace = ?1").bind(workspace.workspaceNumber);
  const session_id = (await aSession(workspace)).sessionId;
  const found = await foreignIds(workspace);
  // Of a delegated domain, which has a page more.
  const delegate = "UPDATE domains SET setup = 'delegated', zone = 'zone.test', zone_token = ?2 WHERE id = ?1";
  await env.DB.prepare(delegate).bind(found.domain_id, "0".repeat(40)).run();
  const html = { name: "With content", html_body: "<p>Hello</p>" };
  await workspace.call("PATCH", `/v1/templates/${found.template_id}`, html);
  const { id: topic_id } = await workspace.create("/v1/topics/", { name: "News" });
  const form = { name: "Footer", title: "News", text: "Once a month." };
  const { id: form_id } = await (await workspace.post(`/v1/contacts/${found.list_id}/forms`, form)).json<{
    id: string;
  }>();
  const erasure = await workspace.call("DELETE", "/v1/people/unknown%40example.org");
  const { id: erasure_id } = await erasure.json<{ id: string }>();
  return {
    ...found,
    ...(await automationCases["GET /v1/automations/:automation_id/runs/:run_id"]?.create?.(workspace)),
    ...(await pictureCases["DELETE /v1/pictures/:picture_id"]?.create?.(workspace)),
    ...(await segmentCases["GET /v1/segments/:segment_id"]?.create?.(workspace)),
    step: "0",
    ...{ topic_id, form_id, erasure_id },
    ...{ email_id, letter_id, session_id, api_key_id: (await key.first<string>("id")) ?? "" },
    ...(await createGrant(workspace)),
    ...(await inboxCases["GET /v1/inbox/:mailbox_id/filters/:filter_id"]?.create?.(workspace)),
    ...(await inboxCases["GET /v1/inbox/:mailbox_id/messages/:uid"]?.create?.(workspace)),
    ...(await inboxCases["PATCH /v1/inbox/:mailbox_id/labels/:label_id"]?.create?.(workspace)),
    ...{ folder: "INBOX", workspace_id: workspace.workspaceId, database: "0" },
  };
}

/** Opens a page with these cookies and returns its status and its calls by kind of database. */
async function visit(route: string, cookies: Record<string, string>) {
  const { bindings, trips } = countingDb();
  const api = apiOn({ ...bindings, WORK: discardingQueue }, null);
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const response = await callRoute(api, route, ids, undefined, { Cookie: cookie.join("; ") });
  await response.arrayBuffer();
  const main = trips.filter(({ statements }) => statements[0]?.binding === "DB").length;
  return { status: response.status, main, mail: trips.length - main };
}

describe("a page", () => {
  it("of a user calls the main database once beyond its session, and the mail database once, but for named exceptions", async () => {
    const { tokens } = await aSession(workspace);
    const over: Record<string, number> = {};
    for (const route of pages) {
      const { status, main, mail } = await visit(route, { session: tokens.accessToken });
      expect(status, route).toBe(statuses[route] ?? 200);
      expect(main, route).toBeLessThanOrEqual(route === TWICE ? 3 : 2);
      if (mail > 1) over[route] = mail;
    }
    expect(over).toEqual(Object.fromEntries(Object.entries(exceptions).map(([route, { calls }]) => [route, calls])));
  });

  it("of a mailbox calls the main database once beyond its session, and the mail database once", async () => {
    const password = "correct horse battery staple";
    await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
    const login = await workspace.post("/v1/webmail/login", { email: workspace.mailbox, password });
    const { access_token } = await login.json<{ access_token: string }>();
    for (const route of pages.filter((page) => page.startsWith("GET /mail/"))) {
      const { status, main, mail } = await visit(route, { mailbox: access_token });
      expect(status, route).toBe(200);
      expect(main, route).toBeLessThanOrEqual(2);
      expect(mail, route).toBeLessThanOrEqual(1);
    }
  });
});
