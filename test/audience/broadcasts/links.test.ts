import { expect, it } from "vitest";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { findAuthoredLinks } from "../../../src/sending/tracking/authored-links.ts";
import { type HitMessage, recordHits } from "../../../src/sending/tracking/index.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const PERSON = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17 Safari/605.1.15";

function aHit(email: string, changes: Partial<HitMessage> = {}): HitMessage {
  return {
    ...{ type: "hit.v1", id: crypto.randomUUID(), kind: "click", workspace: workspace.workspaceNumber, email },
    ...{ recipient: 0, at: Date.now(), ua: PERSON, ip: `192.0.2.${Math.ceil(Math.random() * 250)}` },
    ...changes,
  };
}

const topLinks = async (id: string, query = "") =>
  (await broadcasts.api.get(`${broadcasts.path(id)}/top-links${query}`)).json<{
    total_clicks: number;
    links: unknown[];
  }>();

it("top links count clicks by people of each link as its author wrote it, and opens and clicks count emails", async () => {
  const html_body =
    "<a href=\"https://example.com/?u={{email}}&amp;c={{city}}\">A</a><a href='https://example.com/b'>B</a>";
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 3), html_body });
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const emails = await emailsOf(id);
  const url = (email: string) => `https://example.com/?u=${email}&c=Ulm`;
  const hits = emails.map(({ id: email, email: address }) => aHit(email, { url: url(address) }));
  const [first, second] = emails;
  await recordHits(testContext(), [
    ...hits,
    // A repeat within a minute, a machine, another link, an open.
    aHit(first?.id ?? "", { url: url(first?.email ?? "") }),
    aHit(second?.id ?? "", { url: "https://example.com/b", ua: "curl/8" }),
    aHit(second?.id ?? "", { url: "https://example.com/b" }),
    aHit(second?.id ?? "", { kind: "open" }),
  ]);
  // The queue may deliver a hit twice.
  await recordHits(testContext(), hits);
  expect(await topLinks(id)).toEqual({
    total_clicks: 4,
    links: [
      { url: "https://example.com/?u={{email}}&c={{city}}", clicks: 3, pct_of_top: 100 },
      { url: "https://example.com/b", clicks: 1, pct_of_top: 33 },
    ],
  });
  expect((await topLinks(id, "?limit=1")).links).toHaveLength(1);
  expect(await broadcasts.read(id)).toMatchObject({ opened_count: 1, clicked_count: 3 });
});

it("the contents of many broadcasts are read four at once, and a deleted one has no links", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) {
    const html_body = `<a href="https://example.com/${n}?u={{email}}">A</a>${"x".repeat(900_000)}`;
    ids.push((await broadcasts.create({ html_body })).id);
  }
  const rows = await database.rows<{ n: number }>(
    "SELECT n FROM broadcasts WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id",
    [JSON.stringify(ids)],
  );
  const variants = rows.map(({ n }) => ({ broadcast: n, variant: 0 }));
  const { bindings, trips } = countingDb();
  const linkOf = await findAuthoredLinks(testContext(bindings), [...variants, { broadcast: 1e9, variant: 0 }]);
  const found = variants.map((one, n) =>
    linkOf(one, `https://example.com/${n}?u=a@b.example`, { email: "a@b.example" }),
  );
  expect(found).toEqual(ids.map((_, n) => `https://example.com/${n}?u={{email}}`));
  expect(trips).toHaveLength(2);
});

it("the links of an email lead through the tracker, and its unsubscribe link does not", async () => {
  const html_body = '<a href="https://example.com/?u={{email}}">A</a> <a href="{{unsubscribe_url}}">Stop</a>';
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 1), html_body });
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const [email] = await emailsOf(id);
  const detail = await (await workspace.get(`/v1/emails/${email?.id}`)).json<DetailOut>();
  const token = /href="[^"]*\/u\/([^"]+)">Stop/.exec(detail.html_body ?? "")?.[1] ?? "";
  expect(detail.html_body?.match(/unsubscribe/i)).toBeNull();
  const response = await workspace.call("POST", `/u/${token}`);
  expect(response.status).toBe(200);
  const suppressed = await workspace.get(`/v1/suppressions/?email=${encodeURIComponent(email?.email ?? "")}`);
  expect(await suppressed.json()).toMatchObject([{ reason: "unsubscribe" }]);
  const next = await broadcasts.create({ contact_list_id: (await broadcasts.read(id)).contact_list_id });
  await broadcasts.act(next.id, "send");
  await runBroadcasts();
  expect(await broadcasts.read(next.id)).toMatchObject({ status: "sent", recipient_count: 0, queued_count: 0 });
});
