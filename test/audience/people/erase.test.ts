import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ErasureOut } from "../../../src/audience/people/erasure-schema.ts";
import { erasePerson } from "../../../src/operations/purges/erasure.ts";
import { erasedForm } from "../../../src/platform/erased-addresses/forms.ts";
import { indexEmails } from "../../../src/sending/emails/index.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { offloadContent } from "../../support/retention.ts";
import { run } from "../../support/sending.ts";
import { personOf } from "../../support/topics.ts";
import { aKey, aMail, aMember, apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { broadcastsOf, emailsOf, runBroadcasts } from "../broadcasts/support.ts";
import { aPersonEverywhere, erase, finish, placesOf } from "./support.ts";

const workspace = perTest(aWorkspace);
let lines: string[];

beforeEach(async () => {
  lines = [];
  vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)));
});
afterEach(() => vi.restoreAllMocks());

const pathOf = (address: string) => `/v1/people/${encodeURIComponent(address)}`;
/** Returns an address of the simulator that no other test has: its local part gives the outcome. */
const anAddress = (outcome = "delivered") => `${outcome}+Ada-${crypto.randomUUID().slice(0, 8)}@simulator.test`;

describe("the erasure of a person", () => {
  it.each(["delivered", "bounced"])("leaves the address nowhere: %s mail", async (outcome) => {
    const address = anAddress(outcome);
    const made = await aPersonEverywhere(workspace, address);
    const before = await placesOf(workspace, address);
    for (const table of ["broadcast_clicks", "contacts", "consents", "events", "webhook_deliveries"])
      expect(
        before.filter((place) => place.endsWith(` ${table}`)),
        table,
      ).toHaveLength(1);
    for (const place of [
      "DB suppressions",
      "DB topic_choices",
      "DB audit_log",
      "DB domain_failures",
      "DB dead_letters",
      "DB outbox",
      "object batches",
      "object emails",
      "object packs",
    ])
      expect(before).toContain(place);
    const receipt = await erase(workspace, address);
    expect(receipt).toMatchObject({ status: "done", finished_at: expect.any(String) });
    expect(receipt.removed).toMatchObject({
      contacts: 2,
      consents: 2,
      suppressions: 1,
      topic_choices: 1,
      dead_letters: 1,
    });
    expect(await placesOf(workspace, address)).toEqual([]);
    expect(lines.filter((line) => line.toLowerCase().includes(address.toLowerCase()))).toEqual([]);
    expect(await (await workspace.get(`/v1/emails/search?q=to:${encodeURIComponent(address)}`)).json()).toEqual([]);
    const statusOf = async (id: string) =>
      (await (await workspace.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
    expect(await Promise.all([made.scheduled, made.queued].map(statusOf))).toEqual(["cancelled", "cancelled"]);
    expect(await statusOf(made.scheduledShared)).toBe("scheduled");
    const shared = await (await workspace.get(`/v1/emails/${made.shared}`)).json();
    expect(shared).toMatchObject({
      to_addresses: ["delivered+other@simulator.test"],
      cc_addresses: ["erased"],
      text_body: expect.stringMatching(/^You are x+$/),
    });
    const single = await (await workspace.get(`/v1/emails/${made.single}`)).json();
    expect(single).toMatchObject({ to_addresses: ["erased"], subject: "erased", text_body: null });
    const submitted = await (await workspace.get(`/v1/emails/${made.submitted.shared}`)).json<{ text_body: string }>();
    expect(submitted).toMatchObject({ to_addresses: ["delivered+other@simulator.test", "erased"] });
    expect(new Set(submitted.text_body.trim().split(/\r?\n/))).toEqual(
      new Set([`Gr\u00fc\u00dfe an ${"x".repeat(address.length)}`]),
    );
    const list = await (await workspace.get(`/v1/contacts/${made.lists[0]}`)).json();
    expect(list).toMatchObject({ contact_count: 1, contacts: [{ name: "Other" }] });
  });

  it("keeps the contents of others that share an object", async () => {
    const address = anAddress();
    await aPersonEverywhere(workspace, address);
    await erase(workspace, address);
    const { results } = (await (env as unknown as Record<string, D1Database>)[`MAIL_${testContext().shard}`]
      ?.prepare(
        "SELECT id FROM emails WHERE workspace = ?1 AND json_array_length(recipients) = 1 AND recipients->>'$[0].email' <> 'erased' AND broadcast IS NULL",
      )
      .bind(workspace.workspaceNumber)
      .all<{ id: string }>()) ?? { results: [] };
    expect(results).toHaveLength(6);
    const texts = await Promise.all(
      results.map(
        async ({ id }) => (await (await workspace.get(`/v1/emails/${id}`)).json<{ text_body: string }>()).text_body,
      ),
    );
    expect(texts.filter((text) => text.startsWith("Number "))).toHaveLength(3);
    expect(texts.filter((text) => /^\d You are /.test(text))).toHaveLength(3);
  });

  it("keeps what stops mail: an address that is imported again gets no broadcast and no mail of the topic", async () => {
    const address = anAddress();
    const { lists, topic, api } = await aPersonEverywhere(workspace, address);
    await erase(workspace, address);
    const contact = await api.post(`/v1/contacts/${lists[1]}/contacts`, { email: address, name: "Ada" });
    expect(await contact.json()).toMatchObject({ subscribed: false });
    const broadcasts = broadcastsOf(workspace);
    const { id } = await broadcasts.create({ contact_list_id: lists[1], html_body: "<p>News</p>", subject: "News" });
    await broadcasts.act(id, "send");
    await runBroadcasts();
    expect((await emailsOf(id)).map(({ email }) => email)).toEqual(["delivered+other@simulator.test"]);
    expect(await personOf(workspace, address).read()).toMatchObject({
      unsubscribed_from_all: true,
      topics: [{ id: topic.id, choice: "unsubscribed" }],
    });
    const single = await api.post("/v1/emails/", aMail(workspace, { to: [{ email: address }], topic_id: topic.id }));
    expect(await single.json()).toMatchObject({ status: "rejected" });
    expect(await (await workspace.get("/v1/suppressions/")).json()).toEqual([]);
    expect((await workspace.call("DELETE", `/v1/suppressions/${encodeURIComponent(address)}`)).status).toBe(204);
    expect(await personOf(workspace, address).read()).toMatchObject({ unsubscribed_from_all: false });
  });

  it.each(["complaint", "bounce", "manual"])("keeps a suppression by %s at accept", async (reason) => {
    const address = anAddress();
    await workspace.post("/v1/suppressions/", { email: address, reason });
    await erase(workspace, address);
    const response = await workspace.post("/v1/emails/", aMail(workspace, { to: [{ email: address }] }));
    expect(await response.json()).toMatchObject({ status: "rejected" });
    const again = await workspace.post("/v1/suppressions/", { email: address, reason: "manual" });
    expect([again.status, await again.json()]).toEqual([
      201,
      expect.objectContaining({ email: address.toLowerCase() }),
    ]);
  });

  it.each(["alone", "among others"])(
    "of a recipient %s leaves no copy in a pack that is written at the same time",
    async (who) => {
      const address = anAddress();
      const others = Array.from({ length: 5 }, (_, n) => [{ email: `delivered+o${n}@simulator.test` }]);
      const mine =
        who === "alone" ? [{ email: address }] : [{ email: address }, { email: "delivered+b@simulator.test" }];
      const ids: string[] = [];
      // No delivery packs their contents before.
      const api = workspace.withoutQueue;
      for (const to of [...others, mine]) {
        ids.push((await api.create("/v1/emails/", aMail(workspace, { to, text: `To ${to[0]?.email}` }))).id);
      }
      let packs = 0;
      const put = async (key: string, value: ArrayBufferView) => {
        const object = await env.CONTENT.put(key, value);
        packs += 1;
        // Between the write of the pack and that of its place in the row.
        if (packs === 1) await erase(workspace, address);
        return object;
      };
      const CONTENT = { get: env.CONTENT.get.bind(env.CONTENT), put, delete: env.CONTENT.delete.bind(env.CONTENT) };
      await offloadContent(testContext({ CONTENT }, () => Date.now() + 120_000));
      expect(packs).toBeGreaterThan(0);
      expect(await placesOf(workspace, address)).toEqual([]);
      const texts = await Promise.all(
        ids.map(
          async (id) =>
            (await (await workspace.get(`/v1/emails/${id}`)).json<{ text_body: string | null }>()).text_body,
        ),
      );
      expect(texts.slice(0, 5)).toEqual(others.map(([one]) => `To ${one?.email}`));
      expect(texts.at(-1) ?? "").not.toContain(address);
    },
  );

  it("goes on after a kill, and each step may run twice", async () => {
    const address = anAddress();
    await aPersonEverywhere(workspace, address);
    const { id } = await (await workspace.call("DELETE", pathOf(address))).json<ErasureOut>();
    const of = workspace.workspaceNumber;
    const read = () => database.value<string>("SELECT progress FROM erasures WHERE id = ?1", [id]);
    let steps = 0;
    for (let isDone = false; !isDone; steps++) {
      const before = await read();
      await erasePerson(testContext(), { erasure: id, of });
      // The write of the progress is lost: the next run repeats the step.
      await run("UPDATE erasures SET progress = ?2 WHERE id = ?1 AND finished_at IS NULL", id, before);
      isDone = await erasePerson(testContext(), { erasure: id, of });
      if (steps === 0)
        expect(await (await workspace.get(`/v1/people/erasures/${id}`)).json()).toMatchObject({ status: "running" });
    }
    expect(steps).toBeGreaterThan(5);
    expect(await finish(workspace, id)).toMatchObject({ status: "done", removed: { contacts: 2 } });
    expect(await placesOf(workspace, address)).toEqual([]);
  });

  it("is one for two calls at once, is recorded without the address, and can be repeated", async () => {
    const address = anAddress();
    await workspace.post("/v1/suppressions/", { email: address });
    const responses = await Promise.all([1, 2].map(() => workspace.call("DELETE", pathOf(address))));
    const [one, two] = await Promise.all(responses.map((response) => response.json<ErasureOut>()));
    expect(one?.id).toBe(two?.id);
    expect(await finish(workspace, one?.id ?? "")).toMatchObject({ status: "done", removed: { suppressions: 1 } });
    const again = await erase(workspace, address);
    expect(again.id).not.toBe(one?.id);
    expect(again).toMatchObject({ status: "done", removed: {} });
    const entries = (await readAudit(workspace)).filter(({ action }) => action === "person.erased");
    expect(entries).toHaveLength(2);
    const hash = erasedForm(address.toLowerCase()).trim();
    expect(JSON.stringify(entries)).toContain(hash);
  });

  it("replaces an address in texts of up to 2 MB, and in emails whose events exceed a parameter together", async () => {
    const address = anAddress();
    const { workspaceNumber } = workspace;
    const text = JSON.stringify({ to: address, text: '"'.repeat(900_000) });
    for (const id of ["1", "2", "3"])
      await run(
        `INSERT INTO webhook_deliveries (id, workspace, endpoint, email, event_type, payload, status, created_at)
         VALUES (?1, ?2, 'none', 'none', 'x', ?3, 'delivered', 0)`,
        id,
        workspaceNumber,
        text,
      );
    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.push((await workspace.withoutQueue.create("/v1/emails/", aMail(workspace, { to: [{ email: address }] }))).id);
    const event = { id: crypto.randomUUID(), type: "deferred", at: 1, metadata: { response: '"'.repeat(290_000) } };
    await run(
      "UPDATE emails SET events = ?2, status = 'sent' WHERE id IN (SELECT value FROM json_each(?1))",
      JSON.stringify(ids),
      JSON.stringify([0, event]),
    );
    await indexEmails(testContext());
    const receipt = await erase(workspace, address);
    expect(receipt.removed).toMatchObject({ emails: 5, webhook_deliveries: 3 });
    expect(await placesOf(workspace, address)).toEqual([]);
  });

  it("of an unknown address ends with nothing removed, and leaves other workspaces alone", async () => {
    const address = anAddress();
    const other = await aWorkspace();
    await other.post("/v1/suppressions/", { email: address, reason: "complaint" });
    const receipt = await erase(workspace, address);
    expect(receipt).toMatchObject({ status: "done", removed: {} });
    expect(await (await other.get("/v1/suppressions/")).json()).toMatchObject([{ email: address.toLowerCase() }]);
    expect((await other.get(`/v1/people/erasures/${receipt.id}`)).status).toBe(404);
  });

  it("is a 404 for what is no address, and a receipt for an id that is none", async () => {
    for (const address of ["nonsense", "a@", "a\r\n@example.org", "\0@example.org", "x".repeat(2_000)])
      expect((await workspace.call("DELETE", pathOf(address))).status, JSON.stringify(address)).toBe(404);
    for (const id of ["nonsense", "%00", crypto.randomUUID()])
      expect((await workspace.get(`/v1/people/erasures/${id}`)).status, id).toBe(404);
  });

  it("is for owners and admins, without a restriction to domains", async () => {
    const path = pathOf(anAddress());
    expect((await (await aMember(workspace, "admin")).call("DELETE", path)).status).toBe(202);
    expect((await (await aMember(workspace, "member")).call("DELETE", path)).status).toBe(403);
    const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    expect((await restricted.call("DELETE", path)).status).toBe(403);
    expect((await apiWith(null).call("DELETE", path)).status).toBe(401);
  });
});
