import { beforeAll, describe, expect, it } from "vitest";
import { receiveMail } from "../../../src/mailboxes/inbound/index.ts";
import type { InboundEntryOut } from "../../../src/mailboxes/inbound-log/schema.ts";
import { database } from "../../support/databases.ts";
import { nextPath } from "../../support/next-path.ts";
import { aSession } from "../../support/sessions.ts";
import {
  aKey,
  aMail,
  aMember,
  apiWith,
  aWorkspace,
  perSuite,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";
import { aRawMessage, deliver } from "../inbound/support.ts";

interface Found {
  id: string;
  direction: string;
  subject: string;
  created_at: string;
}

const workspace = perSuite(aWorkspace);
type Api = Pick<TestWorkspace, "get">;

beforeAll(async () => {
  for (const number of [1, 2, 3, 4, 5]) {
    const from = number === 2 ? "Grace Höpper <grace@example.net>" : "Ada <ada@example.org>";
    await deliver(`hello+${number}@${workspace.domain}`, aRawMessage({ From: from, Subject: `Inbound ${number}` }));
    await workspace.post("/v1/emails/", aMail(workspace, { subject: `Outbound ${number}` }));
  }
});

const search = async (query: string, api: Api = workspace) => {
  const response = await api.get(`/v1/emails/search?${query}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<Found[]>();
};
const subjects = async (query: string, api?: Api) => (await search(query, api)).map(({ subject }) => subject);

/** Returns the subjects of all pages, which the Link header connects. */
async function allPages(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let path: string | null = `/v1/emails/search?${query}`; path !== null; ) {
    const response = await workspace.get(path);
    found.push(...(await response.json<Found[]>()).map(({ subject }) => subject));
    path = nextPath(response);
  }
  return found;
}

const INBOUND = [5, 4, 3, 2, 1].map((number) => `Inbound ${number}`);

describe("inbound emails in the search", () => {
  it("are found with direction=inbound by sender, subject, recipient and domain, newest first", async () => {
    expect(await subjects("direction=inbound")).toEqual(INBOUND);
    expect(await subjects("direction=inbound&q=from:grace")).toEqual(["Inbound 2"]);
    expect(await subjects("direction=inbound&q=domain:EXAMPLE.net")).toEqual(["Inbound 2"]);
    expect(await subjects(`direction=inbound&q=${encodeURIComponent("HÖPPER")}`)).toEqual(["Inbound 2"]);
    expect(await subjects("direction=inbound&q=to:hello%2B4 inbound")).toEqual(["Inbound 4"]);
    expect(await subjects("direction=inbound&q=100%25")).toEqual([]);
    expect(await subjects("direction=inbound&status=bounced")).toEqual([]);
    expect(await subjects("direction=inbound&tag=a")).toEqual([]);
  });

  it("are found whatever the case of any letter, in the sender and in the subject", async () => {
    const own = await aWorkspace();
    const from = "Jürgen ΟΔΟΣ <jürgen@example.org>";
    await deliver(own.mailbox, aRawMessage({ From: from, Subject: "ПРИВЕТ, Ääkkönen" }));
    const inbound = (text: string) => search(`direction=inbound&q=${encodeURIComponent(text)}`, own);
    const texts = ["привет", "ПривеТ", "ÄÄKKÖNEN", "äÄKk", "οδος", "ΟδΟσ", "jÜRGen", "from:JÜRGEN@example.org"];
    for (const text of texts) expect((await inbound(text)).length, text).toBe(1);
    expect(await inbound("привёт")).toEqual([]);
    expect(await inbound("привет")).toMatchObject([{ from_name: "Jürgen ΟΔΟΣ", subject: "ПРИВЕТ, Ääkkönen" }]);
  });

  it("come one after the other over pages, alone and with outbound ones by time", async () => {
    expect(await allPages("direction=inbound&limit=2")).toEqual(INBOUND);
    const all = await allPages("direction=all&limit=3");
    expect([all.length, new Set(all).size]).toEqual([10, 10]);
    const times = (await search("direction=all&limit=100")).map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().reverse());
    expect(await subjects("direction=inbound&limit=2&page=1")).toEqual(INBOUND.slice(2, 4));
    const pages = [await subjects("direction=all&limit=4"), await subjects("direction=all&limit=4&page=1")];
    expect(pages.flat()).toEqual((await subjects("direction=all&limit=100")).slice(0, 8));
    expect((await workspace.get("/v1/emails/search?direction=all&limit=100&page=11")).status).toBe(422);
  });

  it("go to owners and admins only, and to keys of their domain only", async () => {
    const admin = await aMember(workspace, "admin");
    expect(await subjects("direction=inbound", admin)).toHaveLength(5);
    const member = await aMember(workspace, "member");
    expect(await subjects("direction=inbound", member)).toEqual([]);
    const ofMember = await search("direction=all&limit=100", member);
    expect([ofMember.length, ofMember.every(({ direction }) => direction === "outbound")]).toEqual([5, true]);
    const other = await aWorkspace();
    expect(await subjects("direction=inbound", other)).toEqual([]);
    const restricted = await aKey(workspace, { domainIds: [crypto.randomUUID()] });
    expect(await subjects("direction=inbound", apiWith(restricted))).toEqual([]);
  });
});

describe("an entry of the inbound log", () => {
  const entryOf = async (id: string, api: Api = workspace) => api.get(`/v1/emails/inbound/${id}`);

  it("says what arrived, how it was checked and what was done with it", async () => {
    const authentication = {
      spf: { result: "pass", domain: "example.org" },
      dkim: [{ result: "fail", domain: "example.org", selector: "s1" }],
      dmarc: { result: "fail", domain: "example.org" },
    };
    const result = await receiveMail(testContext(), {
      from: "ada@example.org",
      to: workspace.mailbox,
      raw: new Blob([aRawMessage({ Subject: "Checked" })]).stream(),
      size: null,
      authentication: { ...authentication, dmarc_policy: "reject", arc: null },
    });
    expect(result).toEqual({ accepted: true, kind: "mailbox" });
    const [{ id = "" } = {}] = await search("direction=inbound&q=checked");
    const entry = await (await entryOf(id.toUpperCase())).json<InboundEntryOut>();
    expect(entry).toEqual({
      id,
      direction: "inbound",
      from_address: "ada@example.org",
      from_name: "Ada Lovelace",
      recipient: workspace.mailbox,
      subject: "Checked",
      received_at: expect.any(String),
      authentication,
      attachment_count: 0,
      text_preview: "Hello, this is a text.",
      events: [
        {
          event_type: "stored",
          metadata: { mailbox_id: workspace.mailboxId, folder: "Spam" },
          created_at: entry.received_at,
        },
      ],
    });
    await database.run("DELETE FROM inbound_emails WHERE id = ?1", [id]);
    expect((await entryOf(id)).status).toBe(404);
  });

  it("has empty results when no trusted server checked the message", async () => {
    const [{ id = "" } = {}] = await search("direction=inbound&q=grace");
    const { authentication } = await (await entryOf(id)).json<InboundEntryOut>();
    expect(authentication).toEqual({ spf: null, dkim: [], dmarc: null });
  });

  it("shows subject and preview to owners, admins and those assigned to the mailbox only, by API and page", async () => {
    const own = await aWorkspace();
    await deliver(own.mailbox, aRawMessage({ Subject: "Your code" }));
    const [{ id = "" } = {}] = await search("direction=inbound", own);
    const [admin, member] = [await aMember(own, "admin"), await aMember(own, "member")];
    const shownTo = async (api: Api) => {
      const { subject, text_preview } = await (await entryOf(id, api)).json<InboundEntryOut>();
      return [subject, text_preview];
    };
    const page = async () => (await (await aSession({ ...own, ...member })).get(`/app/inbound/${id}`)).text();
    const content = ["Your code", "Hello, this is a text."];
    expect(await shownTo(own)).toEqual(content);
    expect(await shownTo(admin)).toEqual(content);
    expect(await shownTo(member)).toEqual([null, null]);
    const hidden = await page();
    expect(hidden).toContain("You are not assigned to its mailbox");
    for (const text of content) expect(hidden).not.toContain(text);
    await own.call("PUT", `/v1/mailboxes/${own.mailboxId}/assignees`, { user_ids: [member.userId] });
    expect(await shownTo(member)).toEqual(content);
    expect(await page()).toContain("Your code");
  });

  it("is a 404 for an unknown id, a Message-ID, and a key of another domain or workspace; any member may read it", async () => {
    const [{ id = "" } = {}] = await search("direction=inbound&limit=1");
    expect((await entryOf(id, await aMember(workspace, "member"))).status).toBe(200);
    const foreign = [await aWorkspace(), apiWith(await aKey(workspace, { domainIds: [crypto.randomUUID()] }))];
    const bodies = await Promise.all([
      entryOf(crypto.randomUUID()),
      entryOf(encodeURIComponent("<a/b@example.org>")),
      ...foreign.map((api) => entryOf(id, api)),
    ]);
    for (const response of bodies)
      expect([response.status, await response.json()]).toEqual([404, { detail: "Inbound message not found" }]);
  });
});
