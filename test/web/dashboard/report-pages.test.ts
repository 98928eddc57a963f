import { beforeAll, describe, expect, it } from "vitest";
import { reportingCases } from "../../access/reporting-cases.ts";
import { aRollup, hoursAgo } from "../../sending/analytics/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aSystemWorkspace, insertTransfer, ownerOf } from "../../support/transfers.ts";
import { aMail, aMember, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** Home, analytics and notifications. */

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
const cells = (html: string) => [...html.matchAll(/<td class="number">([^<]*)</g)].map(([, text]) => text);

describe("the home page", () => {
  it("shows the first open step of the set-up, and no step when all are done", async () => {
    expect(await textOf("/app")).toContain("Set up: 4 of 5 steps are done");
    await submit(session, "/app/test-mail", keyed({ from_: workspace.mailbox, to: "delivered@simulator.test" }));
    expect(await textOf("/app")).not.toContain("Set up:");
  });

  it("begins with the form of the first domain in a workspace without one, which leads to its records", async () => {
    expect(await textOf("/app")).not.toContain("Which domain do you send from?");
    await workspace.call("DELETE", `/v1/domains/${workspace.domainId}?delete_mailboxes=true`);
    const html = await textOf("/app");
    const first = /<main[\s\S]*?<section[^>]*aria-label="([^"]*)"/.exec(html)?.[1];
    expect(first).toBe("First step");
    const [, key = ""] = /action="\/app\/domains"[\s\S]*?name="idempotency_key" value="([^"]+)"/.exec(html) ?? [];
    const added = await locationOf("/app/domains", { name: "shop.example.net", idempotency_key: key });
    expect(added).toMatch(/^\/app\/domains\/[0-9a-f-]{36}\?done=added$/);
    expect(await textOf("/app")).not.toContain("Which domain do you send from?");
    expect(await textOf("/app", memberSession)).not.toContain('action="/app/domains"');
  });

  it("sends one test mail however often its form is sent", async () => {
    const form = keyed({ from_: workspace.mailbox, to: "delivered@simulator.test" });
    const sent = await locationOf("/app/test-mail", form);
    expect(sent).toMatch(/^\/app\/emails\/[0-9a-f-]{36}\?done=sent$/);
    expect(await locationOf("/app/test-mail", form)).toBe(sent);
    expect(await textOf(sent)).toContain("A test mail");
  });

  it("shows an invalid test mail again, and refuses a sender of another workspace", async () => {
    const other = await aWorkspace();
    for (const [fields, field] of [
      [{ from_: workspace.mailbox, to: "no address" }, "to"],
      [{ from_: other.mailbox, to: "delivered@simulator.test" }, "from_"],
      [{ from_: "", to: "" }, "from_"],
    ] as const) {
      const response = await submit(session, "/app/test-mail", keyed(fields));
      const html = await response.text();
      expect([response.status, html], field).toEqual([422, expect.stringContaining(`href="#${field}"`)]);
      expect(html).toContain(`value="${fields.to}"`);
    }
    expect(await textOf("/app/emails")).toContain("has not sent an email yet");
  });

  it("says that nothing has left, instead of an empty plot", async () => {
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    await workspace.post("/v1/emails/", aMail(workspace, { send_at }));
    const html = await textOf("/app");
    expect(html).toContain("No email has left in these days.");
    expect(html).not.toContain("The figures as a table");
  });

  it("plots seven days, with the figures in a table", async () => {
    await submit(session, "/app/test-mail", keyed({ from_: workspace.mailbox, to: "delivered@simulator.test" }));
    const counts = { sent: 40, delivered: 30, bounced: 3, failed: 2 };
    await aRollup(workspace, hoursAgo(72), "example.org", counts);
    const html = await textOf("/app");
    expect(html.match(/<g class="bar">/g)?.length).toBe(7);
    expect(cells(html)).toEqual(expect.arrayContaining(["30", "5", "3", "2"]));
  });

  it("shows deadlines of transfers, unread alerts and what failed", async () => {
    await insertTransfer({ source: workspace, email: await ownerOf(workspace) });
    await reportingCases["POST /v1/notifications/:notification_id/read"].create(workspace);
    const html = await textOf("/app");
    for (const text of ["Deadlines", "A title", "Pending"]) expect(html).toContain(text);
  });
});

describe("the analytics page", () => {
  it("shows counts, rates, lines and recipient domains of the chosen period", async () => {
    expect(await textOf("/app/analytics")).toContain("Nothing was sent in this period.");
    const counts = { sent: 40, delivered: 30, bounced: 4, emails_sent: 40, emails_delivered: 30, emails_bounced: 4 };
    await aRollup(workspace, hoursAgo(3), "example.org", counts);
    // The period ends with the current hour, so it begins within a day, unless that hour is the last of a day.
    const partOfDay = new Date().getUTCHours() === 23 ? 0 : 1;
    for (const [query, points] of [
      ["", 30 + partOfDay],
      ["?period=24h", 24],
      ["?period=7d&by=hour", 168],
      ["?period=90d", 90 + partOfDay],
    ] as const) {
      const html = await textOf(`/app/analytics${query}`);
      for (const text of ['30</a> <span class="soft">75.0 %</span>', "example.org", "4 (10.0 %)"])
        expect(html, query).toContain(text);
      expect(/<polyline[^>]* points="([^"]*)"/.exec(html)?.[1]?.split(" "), query).toHaveLength(points);
      expect(cells(html), query).toHaveLength(points * 6);
    }
  });

  it("shows chosen days beside as many days before, leads to their emails, and begins with the domains that bounce most", async () => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const [ten, thirteen] = [hoursAgo(10 * 24), hoursAgo(13 * 24)];
    await aRollup(workspace, ten, "example.org", { sent: 30, delivered: 27, bounced: 1 });
    await aRollup(workspace, ten, "post.example", { sent: 10, delivered: 3, bounced: 7 });
    await aRollup(workspace, thirteen, "example.org", { sent: 20, delivered: 20 });
    const html = await textOf(`/app/analytics?from=${day(11)}&to=${day(9)}&most=bounced`);
    const days = `from=${day(11)}&amp;to=${day(9)}`;
    for (const text of ["+100 % to before", "100.0 % before", `href="/app/emails?status=bounced&amp;${days}">8</a>`])
      expect(html).toContain(text);
    expect(html).toContain(
      `<a href="/app/emails?q=to%3A%40post.example&amp;status=bounced&amp;${days}">7 (70.0 %)</a>`,
    );
    expect(html.indexOf("post.example")).toBeLessThan(html.indexOf("example.org"));
    expect(await textOf(`/app/analytics?from=${day(3)}&to=${day(3)}`)).toContain("Nothing was sent in this period.");
  });

  it("returns 400 to a period, a step or days that it does not have", async () => {
    const days = [
      "from=2026-01-01",
      "from=2026-02-01&to=2026-01-01",
      "from=x&to=y",
      "from=2026-02-31&to=2026-03-05",
      "from=2020-01-01&to=2026-01-01",
    ];
    for (const query of [
      "period=1y",
      "period=30d&by=hour",
      "period=7d&by=minute",
      "from=2999-01-01&to=2999-01-02",
      ...days,
    ]) {
      const response = await session.get(`/app/analytics?${query}`);
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('class="notice bad"')]);
    }
  });

  it("compares the variants of a broadcast, and returns 404 for one of another workspace", async () => {
    const create = reportingCases["GET /v1/analytics/broadcasts/:broadcast_id"].create;
    const { broadcast_id } = await create(workspace);
    const html = await textOf(`/app/analytics/broadcasts/${broadcast_id}`);
    for (const text of ["Results of A broadcast", "The broadcast itself", "has fewer"]) expect(html).toContain(text);
    const { broadcast_id: foreign } = await create(await aWorkspace());
    expect((await session.get(`/app/analytics/broadcasts/${foreign}`)).status).toBe(404);
  });
});

describe("the notifications pages", () => {
  it("filter the list, mark one and all read, and count them", async () => {
    expect(await textOf("/app/notifications")).toContain("Nothing happened");
    const create = reportingCases["POST /v1/notifications/:notification_id/read"].create;
    const ids = [await create(workspace), await create(workspace)];
    expect(await textOf("/app/notifications")).toContain("Unread (2)");
    expect(await textOf("/app/notifications?category=team")).toContain("No notification matches.");
    expect(await locationOf(`/app/notifications/${ids[0]?.notification_id}/read`)).toBe("/app/notifications");
    expect(await textOf("/app/notifications?unread=true")).toContain("Unread (1)");
    expect(await locationOf("/app/notifications/read-all")).toBe("/app/notifications?done=read");
    expect(await textOf("/app/notifications?unread=true")).toContain("No notification matches.");
    expect((await session.get("/app/notifications?offset=-1&category=unknown")).status).toBe(200);
    expect((await session.get("/app/notifications?offset=1e9")).status).toBe(200);
  });

  it("save which channels are used, and keep those of another user", async () => {
    const path = "/app/notifications/preferences";
    expect(await locationOf(path, { "alerts.web": "on", "team.email": "on" })).toBe(`${path}?done=saved`);
    expect(await (await session.get("/v1/notifications/preferences")).json()).toEqual({
      preferences: {
        alerts: { web: true, email: false, slack: false },
        sends: { web: false, email: false, slack: false },
        team: { web: false, email: true, slack: false },
      },
    });
    expect((await textOf(path)).match(/ checked/g)).toHaveLength(2);
    expect((await textOf(path, memberSession)).match(/ checked/g)).toHaveLength(6);
  });

  it("set and remove the Slack channel, which no page shows, and refuse another URL and members", async () => {
    const path = "/app/notifications/preferences";
    const url = "https://hooks.slack.com/services/T0/B0/secret";
    const wrong = await submit(session, "/app/notifications/slack", { slack_webhook_url: "https://evil.example/" });
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('href="#slack_webhook_url"')]);
    expect(await locationOf("/app/notifications/slack", { slack_webhook_url: url })).toBe(`${path}?done=slack`);
    const html = await textOf(path);
    expect(html).toContain("Stop posting to Slack");
    expect(html).not.toContain("secret");
    expect((await submit(memberSession, "/app/notifications/slack", { slack_webhook_url: url })).status).toBe(403);
    expect(await locationOf("/app/notifications/slack/remove")).toBe(`${path}?done=no-slack`);
    expect(await textOf(path)).toContain("No channel is set");
  });
});
