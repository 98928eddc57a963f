import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { DomainOut } from "../../../src/domains/domains/index.ts";
import { publish } from "../../support/dns-control.ts";
import { publishRecords, register, verify } from "../../support/domains.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "../../web/dashboard/support.ts";

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const mxOf = ({ records }: DomainOut) => records.find(({ purpose }) => purpose === "mx");

/** Returns the page of a domain, and its zone file. */
async function shown(id: string) {
  const [page, zone] = [await session.get(`/app/domains/${id}`), await session.get(`/app/domains/${id}/zone`)];
  return { page: await page.text(), zone: await zone.text() };
}

describe("the MX record of a domain", () => {
  it("is on the page and in the zone file only when its owner has said that mail shall be received here", async () => {
    const { id, receives, records } = await register(workspace);
    const mx = records.find(({ purpose }) => purpose === "mx");
    expect([receives, mx?.required]).toEqual([null, false]);
    const before = await shown(id);
    for (const text of [before.page, before.zone]) expect(text).not.toContain(mx?.value);
    const saved = await submit(session, `/app/domains/${id}/receives`, { receives: "true" });
    expect(saved.headers.get("Location")).toBe(`/app/domains/${id}?done=receives`);
    const after = await shown(id);
    expect(after.page).toContain(mx?.value);
    expect(after.zone).toContain(` IN MX 10 ${mx?.value}.`);
    await submit(session, `/app/domains/${id}/receives`, { receives: "false" });
    expect((await shown(id)).zone).not.toContain(" IN MX ");
    const last = await (await workspace.get(`/v1/domains/${id}`)).json<DomainOut>();
    expect([last.receives, mxOf(last)]).toEqual([false, undefined]);
    const unsaid = await workspace.call("PATCH", `/v1/domains/${id}`, { receives: null });
    expect(await unsaid.json()).toMatchObject({ receives: null, records });
  });

  it("comes with a warning where mail goes elsewhere", async () => {
    const registered = await register(workspace);
    const { id, name } = registered;
    await publishRecords(registered, ["ownership", "dkim"]);
    await publish([
      { type: "MX", name, value: "mx.company.example", priority: 5 },
      { type: "TXT", name, value: "v=spf1 include:company.example -all" },
    ]);
    const { domain } = await verify(workspace, id);
    expect(domain.status).toBe("verified");
    expect(mxOf(domain)?.action).toContain("5 mx.company.example today");
    const { page, zone } = await shown(id);
    expect(page).toContain("It goes to 5 mx.company.example today.");
    for (const text of [" IN MX ", "v=spf1"]) expect(zone).not.toContain(text);
  });

  it("is said at the upgrade for domains whose MX leads here and those with a mailbox that has mail", async () => {
    const [leads, silent] = [await register(workspace), await register(workspace)];
    const set = (sql: string, id: string) => env.DB.prepare(sql).bind(id).run();
    await set(`UPDATE domains SET records = '{"mx":"verified"}' WHERE id = ?1`, leads.id);
    await set(`UPDATE domains SET records = '{"mx":"mismatch"}' WHERE id = ?1`, silent.id);
    await set("UPDATE mailboxes SET used_bytes = 1 WHERE id = ?1", workspace.mailboxId);
    const [upgrade = "", ...more] = env.TEST_MIGRATIONS.main.filter((sql) => sql.includes("SET receives = 1"));
    expect(more).toEqual([]);
    await env.DB.prepare(upgrade).run();
    const receives = async (id: string) =>
      (await (await workspace.get(`/v1/domains/${id}`)).json<DomainOut>()).receives;
    expect([await receives(leads.id), await receives(silent.id), await receives(workspace.domainId)]).toEqual([
      true,
      null,
      true,
    ]);
  });
});
