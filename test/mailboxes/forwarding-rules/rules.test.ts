import { describe, expect, it } from "vitest";
import { isLoop, matches } from "../../../src/mailboxes/forwarding-rules/rules.ts";
import type { RuleOut } from "../../../src/mailboxes/forwarding-rules/schema.ts";
import { database } from "../../support/databases.ts";
import { anAccessToken } from "../../support/oauth.ts";
import { systemEmails } from "../../support/sign-ins.ts";
import { aSystemWorkspace, transfer } from "../../support/transfers.ts";
import { aKey, aMember, apiWith, aWorkspace, perSuite, perTest } from "../../support/workspace.ts";
import { aRule, visitor } from "./support.ts";

const PATH = "/v1/forwarding-rules/";
const system = perSuite(aSystemWorkspace);
const workspace = perTest(aWorkspace);

const toAddress = (target: string) => ({ action: { type: "address", target } });
const list = async () => (await workspace.get(PATH)).json<RuleOut[]>();

describe("the conditions of a rule", () => {
  const message = {
    from: "Ada@Example.org",
    recipients: ["hello@example.com", "x@Example.NET"],
    subject: "Your Invoice",
  };
  it.each([
    [{}, true],
    [{ from: "ada@example.org" }, true],
    [{ from: "@example.ORG" }, true],
    [{ from: "@ample.org" }, false],
    [{ from: "bob@example.org" }, false],
    [{ to: "X@example.net" }, true],
    [{ to: "@example.org" }, false],
    [{ subject_contains: "INVOICE" }, true],
    [{ subject_contains: "receipt" }, false],
    [{ from: "@example.org", subject_contains: "receipt" }, false],
  ])("%j match: %j", (match, expected) => {
    expect(matches(match, message)).toBe(expected);
  });

  it("from do not match a message without From", () => {
    expect(matches({ from: "@example.org" }, { ...message, from: null })).toBe(false);
  });
});

describe("a message is a loop", () => {
  const fields = (delivered: string[], received = 1) => ({
    all: (name: string) => (name === "received" ? Array(received).fill("from a by b") : delivered),
  });
  it.each([
    ["that comes for the first time", [], 1, false],
    ["that this mailbox had", [" Hello@Example.com "], 1, true],
    ["that another mailbox had", ["other@example.com"], 1, false],
    ["that five mailboxes had", ["a@b.c", "b@b.c", "c@b.c", "d@b.c", "e@b.c"], 1, true],
    ["with 29 hops", [], 29, false],
    ["with 30 hops", [], 30, true],
  ])("%s", (_, delivered, received, expected) => {
    expect(isLoop(fields(delivered, received), "hello@example.com")).toBe(expected);
  });
});

describe("forwarding rules", () => {
  it("tell who saved them last", async () => {
    const { id, maker_id } = await workspace.create<{ id: string; maker_id: string }>(PATH, {
      domain_id: workspace.domainId,
      action: { type: "mailbox", target: workspace.mailboxId },
    });
    expect(maker_id).toBe(workspace.userId);
    const admin = await aMember(workspace, "admin");
    await admin.call("PATCH", `${PATH}${id}`, { position: 7 });
    expect(await (await workspace.get(`${PATH}${id}`)).json()).toMatchObject({ maker_id: admin.userId, position: 7 });
  });

  it("are created at the end, listed in order, changed and deleted, with audit entries", async () => {
    const first = await aRule(workspace, { match: { from: "@example.org" } });
    const second = await aRule(workspace, { domain_id: undefined, mailbox_id: workspace.mailboxId });
    expect([first.position, second.position, second.mailbox_id]).toEqual([0, 1, workspace.mailboxId]);
    const moved = await workspace.call("PATCH", `${PATH}${second.id}`, { position: 0, match: { to: "a@b.example" } });
    expect(await moved.json()).toMatchObject({ position: 0, match: { from: null, to: "a@b.example" } });
    await workspace.call("PATCH", `${PATH}${first.id.toUpperCase()}`, { is_active: false, position: 7 });
    expect((await list()).map(({ id, is_active }) => [id, is_active])).toEqual([
      [second.id, true],
      [first.id, false],
    ]);
    expect((await workspace.call("DELETE", `${PATH}${first.id}`)).status).toBe(204);
    expect((await workspace.call("DELETE", `${PATH}${first.id}`)).status).toBe(404);
    expect(await (await workspace.get(`${PATH}${second.id}`)).json()).toMatchObject({ id: second.id });
    const audit = await (await workspace.get("/v1/audit")).json<{ action: string }[]>();
    expect(audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["forwarding_rule.created", "forwarding_rule.updated", "forwarding_rule.deleted"]),
    );
  });

  it("refuse what is not valid", async () => {
    const body = { domain_id: workspace.domainId, ...toAddress("friend@example.net") };
    const issues: [object, string][] = [
      [{ ...body, mailbox_id: workspace.mailboxId }, "domain_id"],
      [{ ...body, domain_id: null }, "domain_id"],
      [{ ...body, ...toAddress("a@b.example\r\nRCPT TO:<c@d.example>") }, "action"],
      [{ ...body, ...toAddress("a\0@b.example") }, "action"],
      [{ ...body, action: { type: "post", target: "a@b.example" } }, "action"],
      [{ ...body, match: { from: "not an address" } }, "match"],
      [{ ...body, match: { subject_contains: "x".repeat(999) } }, "match"],
      [{ ...body, position: -1 }, "position"],
    ];
    for (const [issue, field] of issues) {
      const response = await workspace.post(PATH, issue);
      const { detail } = await response.json<{ detail: { loc: string[] }[] }>();
      expect([response.status, detail[0]?.loc[1]], JSON.stringify(issue)).toEqual([422, field]);
    }
    expect(await list()).toEqual([]);
  });

  it("with one Idempotency-Key are created once, also by two calls at once", async () => {
    const body = { domain_id: workspace.domainId, action: { type: "mailbox", target: workspace.mailboxId } };
    const post = () => workspace.post(PATH, body, { "Idempotency-Key": "one" });
    const responses = await Promise.all(
      (await Promise.all([post(), post()])).map((response) => response.json<RuleOut>()),
    );
    responses.push(await (await post()).json<RuleOut>());
    expect([new Set(responses.map(({ id }) => id)).size, (await list()).length]).toEqual([1, 1]);
  });

  it("end at 200", async () => {
    const { id } = await aRule(workspace);
    await database.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
       INSERT INTO forwarding_rules SELECT 'r' || i || ?2, workspace, domain_id, mailbox_id, match, action, target, target_key,
         secret, is_active, position, created_at, updated_at, user_id FROM forwarding_rules, n WHERE id = ?1`,
      [id, workspace.workspaceId],
    );
    const refused = await workspace.post(PATH, {
      domain_id: workspace.domainId,
      action: { type: "mailbox", target: workspace.mailboxId },
    });
    expect([refused.status, (await list()).length]).toEqual([409, 200]);
  });

  it("are not seen by keys of other domains, and are refused to OAuth tokens, which may only delete them", async () => {
    const { id } = await aRule(workspace);
    const restricted = apiWith(await aKey(workspace, { domainIds: [crypto.randomUUID()] }));
    expect(await (await restricted.get(PATH)).json()).toEqual([]);
    expect((await restricted.get(`${PATH}${id}`)).status).toBe(404);
    const token = apiWith(await anAccessToken(workspace, ["domains:manage"]));
    const refused = [
      token.get(PATH),
      token.get(`${PATH}${id}`),
      token.post(PATH, {}),
      token.call("PATCH", `${PATH}${id}`, {}),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const member = await aMember(workspace, "member");
    expect((await member.call("DELETE", `${PATH}${id}`)).status).toBe(403);
  });
});

describe("an outside address", () => {
  it("gets one link, whose page changes nothing, and confirms by its button, once", async () => {
    const before = (await systemEmails(system, 0)).length;
    const rule = await aRule(workspace, toAddress("friend@example.net"));
    await aRule(workspace, toAddress("FRIEND@example.net"));
    expect(rule.is_confirmed).toBe(false);
    const mails = await systemEmails(system, before + 1);
    expect(mails.length).toBe(before + 1);
    const links = mails.flatMap((text) =>
      text.includes("forwarded to this address") ? [/\/forwards\/[\w-]+/.exec(text)?.[0] ?? ""] : [],
    );
    const link = links.at(-1) ?? "";
    const page = await visitor.get(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("friend@example.net")]);
    expect((await list()).map(({ is_confirmed }) => is_confirmed)).toEqual([false, false]);
    const crossSite = await visitor.call("POST", link, undefined, { "Sec-Fetch-Site": "cross-site" });
    expect(crossSite.status).toBe(403);
    const responses = await Promise.all([visitor.call("POST", link), visitor.call("POST", link)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await list()).map(({ is_confirmed }) => is_confirmed)).toEqual([true, true]);
    expect((await visitor.get(link)).status).toBe(404);
    expect((await visitor.get("/forwards/unknown")).status).toBe(404);
  });

  it("of another workspace's request stays unconfirmed, and a changed target has to confirm again", async () => {
    const rule = await aRule(workspace, toAddress("friend@example.net"));
    await database.run("UPDATE forward_targets SET confirmed_at = 1 WHERE workspace = ?1", [workspace.workspaceNumber]);
    const other = await aWorkspace();
    expect((await aRule(other, toAddress("friend@example.net"))).is_confirmed).toBe(false);
    const patch = (target: string) => workspace.call("PATCH", `${PATH}${rule.id}`, toAddress(target));
    expect(await (await patch("stranger@example.net")).json()).toMatchObject({ is_confirmed: false });
    expect(await (await patch("friend@example.net")).json()).toMatchObject({ is_confirmed: true });
    expect(await (await patch(workspace.mailbox)).json()).toMatchObject({ is_confirmed: true });
  });

  it("has to confirm although the workspace has made a mailbox with it on a domain that it has not verified", async () => {
    const other = await aWorkspace();
    const { id: domain_id } = await workspace.create("/v1/domains/", { name: other.domain });
    const [local_part] = other.mailbox.split("@");
    expect((await workspace.post("/v1/mailboxes/", { domain_id, local_part })).status).toBe(201);
    await aRule(workspace, toAddress(other.mailbox));
    expect((await list()).map(({ is_confirmed }) => is_confirmed)).toEqual([false]);
    await database.run("UPDATE domains SET status = 'failed' WHERE id = ?1", [other.domainId]);
    await database.run("UPDATE domains SET status = 'verified' WHERE id = ?1", [domain_id]);
    expect((await list()).map(({ is_confirmed }) => is_confirmed)).toEqual([true]);
  });

  it("is one of at most 20 that a workspace asks in an hour", async () => {
    for (let number = 0; number < 20; number++) await aRule(workspace, toAddress(`friend${number}@example.net`));
    const body = { domain_id: workspace.domainId, ...toAddress("friend21@example.net") };
    const refused = await workspace.post(PATH, body);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "3600"]);
    expect((await workspace.post(PATH, { ...body, ...toAddress("friend3@example.net") })).status).toBe(201);
  });
});

it("a transfer of the domain disables its rules, which only the old owner sees and cannot enable", async () => {
  const rule = await aRule(workspace);
  const target = await aWorkspace();
  await transfer(workspace, target);
  expect(await (await target.get(PATH)).json()).toEqual([]);
  expect((await list()).map(({ id, is_active }) => [id, is_active])).toEqual([[rule.id, false]]);
  expect((await workspace.call("PATCH", `${PATH}${rule.id}`, { is_active: true })).status).toBe(409);
  expect((await workspace.call("PATCH", `${PATH}${rule.id}`, { position: 3 })).status).toBe(200);
});
