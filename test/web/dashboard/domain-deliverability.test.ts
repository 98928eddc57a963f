import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/lib/time.ts";
import { mail } from "../../support/databases.ts";
import { PLANTED, writeMonth } from "../../support/month-of-mail.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace } from "../../support/workspace.ts";

const nameOf = (ago: number) =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" }).format(
    Date.now() - ago * DAY_MS,
  );

async function aSender() {
  const workspace = await aWorkspace();
  const session = await aSession(workspace);
  const path = `/app/domains/${workspace.domainId}/deliverability`;
  return { workspace, path, read: async () => (await session.get(path)).text() };
}

describe("the page Deliverability of a domain", () => {
  it("names each trouble of a month with its receiver, its days and what to do about it", async () => {
    const { workspace, read } = await aSender();
    await writeMonth(mail, workspace, Date.now());
    const html = await read();
    const titles = [...html.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, title]) => title);
    expect(titles.slice(0, 4)).toEqual([
      "What needs attention",
      `Outlook blocks your mail: 98 of its newest replies, from ${nameOf(PLANTED.listedFrom)} to ${nameOf(0)}.`,
      `Complaints at Yahoo and AOL were 2.1 % on ${nameOf(PLANTED.complaintPeak)}: 9 of 420.`,
      `DKIM did not pass for 100 % of your mail on ${nameOf(PLANTED.brokenDkim)}: 2,610 of 2,610 messages in DMARC reports.`,
    ]);
    for (const text of ["ask for removal", "part of their network is on our block list", "[TSS04]", "google.com"])
      expect(html.includes(text), text).toBe(true);
    expect(html).toMatch(/Gmail[\s\S]*54,000[\s\S]*Outlook[\s\S]*18,000[\s\S]*980 \(5.4 %\)/);
  });

  it("shows no zeros for what was not reported, and none of the service's own reasons", async () => {
    const { workspace, read } = await aSender();
    await writeMonth(mail, workspace, Date.now());
    await mail
      .prepare(`UPDATE emails SET events = replace(events, '"response"', '"reason"') WHERE workspace = ?1`)
      .bind(workspace.workspaceNumber)
      .run();
    const html = await read();
    expect(html).toMatch(/Gmail[\s\S]*Not reported[\s\S]*Outlook[\s\S]*Apple[\s\S]*Not reported[\s\S]*Others/);
    expect(html).toContain("No receiver has deferred or refused the newest mail of this domain.");
    expect(html).toContain(new Date(Date.now() - DAY_MS).toISOString().slice(0, 10));
    expect(html).not.toContain(new Date().toISOString().slice(0, 10));
  });

  it("has nothing to say of a month without mail, and of another workspace's domain", async () => {
    const { path, read } = await aSender();
    expect(await read()).toContain("Nothing in these 30 days needs attention.");
    const other = await aSession(await aWorkspace());
    expect((await other.get(path)).status).toBe(404);
  });

  it("shows replies word by word and escaped, as many as fit", async () => {
    const { workspace, read } = await aSender();
    await writeMonth(mail, workspace, Date.now());
    await mail
      .prepare(
        `UPDATE emails SET events = replace(events, '[TSS04]', '<script>alert(1)</script>') WHERE workspace = ?1`,
      )
      .bind(workspace.workspaceNumber)
      .run();
    const html = await read();
    expect(html.includes("&lt;script&gt;alert(1)")).toBe(true);
    expect(html.includes("<script>alert")).toBe(false);
  });
});
