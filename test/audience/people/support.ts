import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { ErasureOut } from "../../../src/audience/people/erasure-schema.ts";
import { binaryStringToBytes } from "../../../src/lib/bytes.ts";
import { recordHits } from "../../../src/sending/tracking/record-hits.ts";
import { aReceiver, LOCAL, webhooksOf } from "../../notices/webhooks/support.ts";
import { recordEvents } from "../../support/person-events.ts";
import { offloadContent } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { aSubmitter } from "../../support/submissions.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aMail, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { broadcastsOf, emailsOf, runBroadcasts } from "../broadcasts/support.ts";

const OTHER = "delivered+other@simulator.test";
const DAY_MS = 86_400_000;

/** Gives a workspace something of every kind about a person. Returns the ids that tests need. */
export async function aPersonEverywhere(workspace: TestWorkspace, address: string) {
  const api = workspace.withoutQueue;
  const json = async <Out>(response: Response): Promise<Out> => {
    expect(response.ok, await response.clone().text()).toBe(true);
    return response.json<Out>();
  };
  await recordEvents(workspace);
  await json(await api.post("/v1/events", { name: "order.paid", email: address, data: { to: address } }));
  await webhooksOf(workspace).create(aReceiver().url, ["email.delivered", "email.bounced"]);
  await runOutboxAt(Date.now(), {}, ["webhook"]);
  const lists: string[] = [];
  for (const name of ["News", "Offers"]) {
    const { id } = await json<{ id: string }>(await api.post("/v1/contacts/", { name }));
    const contact = { email: address, name: "Ada", metadata: { mail: address }, consent: { source: "At the fair" } };
    await json(await api.post(`/v1/contacts/${id}/contacts`, contact, { "Idempotency-Key": `contact-${name}` }));
    await json(await api.post(`/v1/contacts/${id}/contacts`, { email: OTHER, name: "Other" }));
    lists.push(id);
  }
  const broadcasts = broadcastsOf(workspace);
  const broadcast = await broadcasts.create({
    contact_list_id: lists[0],
    html_body: "<p>{{name}} {{mail}}</p>",
    subject: "For {{mail}}",
  });
  await broadcasts.act(broadcast.id, "send");
  await runBroadcasts();
  const text = `You are ${address.toUpperCase()}`;
  const html = `<a href="https://example.com/?m=${encodeURIComponent(address)}">${address}</a>`;
  const send = async (changes: Record<string, unknown>) =>
    (await json<{ id: string }>(await api.post("/v1/emails/", aMail(workspace, { text, html, ...changes })))).id;
  const person = [{ email: address, name: "Ada" }];
  const single = await send({ to: person, subject: text, tags: [address, "news"] });
  const shared = await send({ to: [{ email: OTHER }], cc: person, subject: `About ${address}`, tags: [address] });
  const large = await send({
    to: person,
    html: `${html}${"<p>Long</p>".repeat(4_000)}`,
    attachments: [{ filename: "a.txt", content_base64: btoa(text), content_type: "text/plain" }],
  });
  const items = Array.from({ length: 6 }, (_, n) =>
    aMail(workspace, { text: n % 2 ? `${n} ${text}` : `${n} You are other`, to: n % 2 ? person : [{ email: OTHER }] }),
  );
  await json(await api.post("/v1/emails/batch", items));
  for (let n = 0; n < 6; n++)
    await send({ to: n % 2 ? person : [{ email: OTHER }], text: n % 2 ? text : `Number ${n}`, html: null });
  const submitted = await submitBySmtp(workspace, address);
  await runOutboxAt(Date.now() + 1_000, LOCAL);
  const { id: personal = "" } = (await emailsOf(broadcast.id)).find(({ email }) => email === address) ?? {};
  const click = (email: string, url: string) => ({
    ...{ type: "hit.v1" as const, id: crypto.randomUUID(), kind: "click" as const, email, url },
    ...{ workspace: workspace.workspaceNumber, recipient: 0, at: Date.now(), ua: "Mozilla/5.0", ip: "192.0.2.7" },
  });
  // The links of a broadcast are counted by their text, or by what they became.
  for (const url of [`https://example.com/?m=${address}`, `https://example.com/?m=${encodeURIComponent(address)}`])
    await recordHits(testContext(), [click(single, url), click(personal, url)]);
  await offloadContent(testContext({}, () => Date.now() + 4 * DAY_MS));
  await run(
    "INSERT INTO dead_letters (id, queue, body, recorded_at) VALUES (?1, 'hits', ?2, 0)",
    crypto.randomUUID(),
    JSON.stringify({ type: "hit.v1", workspace: workspace.workspaceNumber, url: `https://example.com/?m=${address}` }),
  );
  const scheduled = await send({ to: person, send_at: new Date(Date.now() + 2 * DAY_MS).toISOString() });
  const scheduledShared = await send({
    to: [{ email: OTHER }, ...person],
    send_at: new Date(Date.now() + 2 * DAY_MS).toISOString(),
  });
  const queued = await send({ to: person });
  const topic = await aTopic(workspace);
  await personOf(workspace, address).choose(topic.id, "unsubscribed");
  await json(await api.post("/v1/suppressions/", { email: address, reason: "unsubscribe" }));
  await run(
    "INSERT INTO domain_failures (workspace, email, first_at) VALUES (?1, ?2, 0)",
    workspace.workspaceNumber,
    address.toLowerCase(),
  );
  await api.call("PUT", "/v1/emails/saved-searches", [{ name: "Ada", query: `to:${address}` }]);
  return { api, json, lists, topic, single, shared, large, scheduled, scheduledShared, queued, broadcast, submitted };
}

/** Submits a short and a long message by SMTP, to a person alone and with another. Returns the ids of the emails. */
async function submitBySmtp(workspace: TestWorkspace, address: string): Promise<{ shared: string }> {
  const { submit } = await aSubmitter(workspace);
  let shared = "";
  for (const lines of [1, 2_000])
    for (const to of [[address], [OTHER, address]]) {
      const head = `From: ${workspace.mailbox}\r\nTo: Ada <${to.join(">, <")}>\r\nSubject: For ${address}\r\nX-Customer: ${address}\r\n`;
      const type = "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n";
      // In ISO 8859-1, so that its bytes are no UTF-8.
      const body = `Gr\u00fc\u00dfe an ${address}\r\n`.repeat(lines);
      const { id, reply } = await submit(binaryStringToBytes(`${head}${type}\r\n${body}`), to);
      expect(id, reply ?? "").toBeTruthy();
      if (to.length > 1) shared = id ?? "";
    }
  return { shared };
}

/** Returns where an address is: tables, objects and index entries, by name. */
export async function placesOf(workspace: TestWorkspace, address: string): Promise<string[]> {
  const needles = [address, encodeURIComponent(address)].map((text) => text.toLowerCase());
  const has = (text: string) => needles.some((needle) => text.toLowerCase().includes(needle));
  const places: string[] = [];
  for (const name of ["DB", "MAIL_0", "MAIL_1"] as const) {
    const { results: tables } = await env[name]
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '[_]*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'email_search*'",
      )
      .all<{ name: string }>();
    expect(tables.length).toBeGreaterThan(20);
    for (const { name: table } of tables) {
      const { results } = await env[name].prepare(`SELECT * FROM ${table}`).all();
      if (results.some((row) => has(JSON.stringify(row)))) places.push(`${name} ${table}`);
    }
  }
  const { objects } = await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` });
  const responses = await env.CONTENT.list({ prefix: "responses/" });
  for (const { key } of [...objects, ...responses.objects]) {
    const object = await env.CONTENT.get(key);
    const kind = key.startsWith("responses/") ? "responses" : key.split("/")[2];
    if (has(new TextDecoder().decode(await object?.arrayBuffer()))) places.push(`object ${kind}`);
  }
  return [...new Set(places)].sort();
}

/** Erases a person, and runs the outbox until it is done. Returns the receipt. */
export async function erase(workspace: TestWorkspace, address: string): Promise<ErasureOut> {
  const response = await workspace.call("DELETE", `/v1/people/${encodeURIComponent(address)}`);
  expect(response.status, await response.clone().text()).toBe(202);
  const { id } = await response.json<ErasureOut>();
  return finish(workspace, id);
}

export async function finish(workspace: TestWorkspace, id: string): Promise<ErasureOut> {
  await runOutboxAt(Date.now() + 125_000, {}, ["purge"]);
  return (await workspace.get(`/v1/people/erasures/${id}`)).json<ErasureOut>();
}
