import { beforeAll, describe, expect, it } from "vitest";
import { idOfTime, uuidv7 } from "../../../src/lib/ids.ts";
import { DAY_MS } from "../../../src/lib/time.ts";
import { indexEmails } from "../../../src/sending/emails/index.ts";
import { aRollup, hoursAgo } from "../../sending/analytics/support.ts";
import { countingDb, rowsRead } from "../../support/counting-db.ts";
import { runCloseHours, runRetention } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, apiOn, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

/** The analytics page filtered by sender domain, tag and receiver. */

// Ids of one isolate are in order, so those that follow are ahead of its clock.
beforeAll(() => {
  uuidv7(Date.now() + DAY_MS);
});
const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
const page = async (query: string) => (await session.get(`/app/analytics?${query}`)).text();
const textIn = (html: string, pattern: RegExp) => (pattern.exec(html)?.[0] ?? "").replace(/<[^>]*>/g, " ");
const overview = (html: string) => textIn(html, /<dl class="numbers even">[\s\S]*?<\/dl>/);
const figures = (html: string) => [...html.matchAll(/<td class="number">([^<]*)</g)].map(([, text]) => text);

async function send(address: string, tags: string[], changes: Record<string, unknown> = {}) {
  const mail = aMail(workspace, { to: [{ email: address }], tags, ...changes });
  return (await workspace.withoutQueue.create("/v1/emails/", mail)).id;
}

/** Inserts delivered emails of some days ago with a tag, in one statement. */
const insertEmails = (count: number, ago: number, tag: string) =>
  run(
    `WITH RECURSIVE i (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < ?1)
     INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, tags,
       recipients, events, content_offset, content_size, created_at)
     SELECT ?2, ?3 || printf('-7%03x-8000-%012x', x / 4096, x), 'delivered', 'api', ?4, ?5, 'a@' || ?6, '<x@y>', 's',
       json_array(?7), '[{"kind":"to","email":"ada@one.example","state":"delivered"}]', '[]', 0, 0, ?8 FROM i`,
    ...[count, workspace.workspaceNumber, idOfTime(Date.now() - ago * DAY_MS, ""), workspace.domainId],
    ...[workspace.mailboxId, workspace.domain, tag, Date.now() - ago * DAY_MS],
  );

describe("the analytics page with a filter", () => {
  it("counts the mail of a sender domain, a tag or a receiver as the roll-ups count all of it", async () => {
    for (const name of ["delivered", "bounced", "complained", "deferred"])
      await send(`${name}@simulator.test`, ["receipt", "a"]);
    await runOutboxAt(Date.now());
    const all = overview(await page("period=24h"));
    expect(all).toMatch(/Sent\s+3\b[\s\S]*Delivered\s+2\b[\s\S]*Bounced \(hard\)\s+1\b[\s\S]*Complained\s+1\b/);
    for (const filter of [
      `domain=${workspace.domain}`,
      "tag=receipt",
      "receiver=Simulator.test",
      "tag=a&receiver=simulator.test",
    ])
      expect(overview(await page(`period=24h&${filter}`)), filter).toBe(all);
    for (const filter of [
      "domain=other.example",
      "tag=recei",
      "receiver=other.example",
      "tag=a&receiver=other.example",
    ])
      expect(await page(`period=24h&${filter}`), filter).toContain("Nothing was sent in this period.");
  });

  it("leads from each figure to its emails of these days, and keeps the filter in every choice", async () => {
    await send("bounced@simulator.test", ["my receipt"]);
    await runOutboxAt(Date.now());
    const html = await page(
      `from=${day(1)}&to=${day(0)}&domain=${workspace.domain}&tag=my+receipt&receiver=simulator.test`,
    );
    const q = encodeURIComponent(`from:@${workspace.domain} tag:"my receipt" to:@simulator.test`).replaceAll(
      "%20",
      "+",
    );
    const href = `/app/emails?q=${q}&amp;status=bounced&amp;from=${day(1)}&amp;to=${day(0)}`;
    expect(html.split(`href="${href}"`)).toHaveLength(4);
    const list = await (await session.get(href.replaceAll("&amp;", "&"))).text();
    expect(list).toContain("bounced@simulator.test");
    expect(html).toContain(
      `/app/analytics?period=7d&amp;domain=${workspace.domain}&amp;tag=my+receipt&amp;receiver=simulator.test`,
    );
    expect(html).toContain(`<option value="${workspace.domain}" selected="">`);
  });

  it("plots a receiver by hour and by day and compares it with the time before, whether days are summed or not", async () => {
    for (const [hours, sent] of [
      [30, 4],
      [31, 2],
      [80, 3],
      [24 * 9, 5],
    ] as const) {
      await aRollup(workspace, hoursAgo(hours), "one.example", { sent, delivered: sent });
      await aRollup(workspace, hoursAgo(hours), "two.example", { sent: 100, delivered: 1 });
    }
    const look = async () => {
      const byDay = await page("period=7d&receiver=one.example");
      const byHour = await page("period=7d&by=hour&receiver=one.example");
      expect(overview(byHour)).toBe(overview(byDay));
      expect(byDay).not.toContain("two.example");
      return [overview(byDay), figures(byDay), figures(byHour)];
    };
    const open = await look();
    expect(open[0]).toMatch(/Sent\s+9\s+\+80 % to before/);
    await runCloseHours(testContext());
    await runRetention(testContext());
    expect(await look()).toEqual(open);
  });

  it("says how far it counted when these days have more emails than it reads, and leaves the comparison out", async () => {
    await insertEmails(20_000, 2, "new");
    await insertEmails(1_000, 3, "old");
    await insertEmails(10, 12, "new");
    const html = await page(`from=${day(5)}&to=${day(0)}&tag=new`);
    expect(overview(html)).toMatch(/Sent\s+20,000\s+Delivered\s+20,000/);
    expect(html).toContain("among the newest emails of these days");
    expect(overview(html)).not.toContain("before");
    expect(await page(`from=${day(3)}&to=${day(3)}&tag=old`)).not.toContain("among the newest");
    expect(overview(await page(`from=${day(3)}&to=${day(3)}&tag=old`))).toMatch(/Sent\s+1,000\s/);
  });

  it("reads at most 20 MB of recipients and events, and says how far it counted", async () => {
    await insertEmails(50, 2, "wide");
    const events = JSON.stringify([{ type: "delivered", text: "x".repeat(1_000_000) }]);
    await run("UPDATE emails SET events = ?2 WHERE workspace = ?1", workspace.workspaceNumber, events);
    const html = await page(`from=${day(3)}&to=${day(0)}&tag=wide`);
    expect(overview(html)).toMatch(/Sent\s+19\s/);
    expect(html).toContain("among the newest emails of these days");
  });

  it("reads no more rows when the workspace has more emails of other days, nor more receivers", async () => {
    const rowsOf = async (path: string) => {
      const { bindings, trips } = countingDb();
      const cookie = { Cookie: `session=${session.tokens.accessToken}` };
      const response = await apiOn(bindings, null).get(path, cookie);
      expect(response.status, path).toBe(200);
      const statements = trips.flatMap((trip) => trip.statements).filter(({ binding }) => binding !== "DB");
      const read = await Promise.all(statements.map(rowsRead));
      return read.reduce((sum, rows) => sum + rows, 0);
    };
    await insertEmails(600, 20, "a");
    await insertEmails(20, 3, "a");
    await insertEmails(1, 0, "a");
    await aRollup(workspace, hoursAgo(30), "one.example", { sent: 1 });
    const time = `from=${day(4)}&to=${day(2)}`;
    const paths = [
      ...["tag=a", `domain=${workspace.domain}`, "receiver=one.example"].map(
        (filter) => `/app/analytics?${time}&${filter}`,
      ),
      ...["", "&q=one.example", "&q=on", "&status=delivered"].map((filter) => `/app/emails?${time}${filter}`),
    ];
    await indexEmails(testContext());
    const before = await Promise.all(paths.map(rowsOf));
    await insertEmails(500, 0, "a");
    await indexEmails(testContext());
    for (let domain = 0; domain < 20; domain++)
      await aRollup(workspace, hoursAgo(30), `r${domain}.example`, { sent: 1 });
    expect(await Promise.all(paths.map(rowsOf))).toEqual(before);
    expect(Math.max(...before)).toBeLessThan(500);
  });
});
