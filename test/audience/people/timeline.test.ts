import { expect, it } from "vitest";
import { readTimeline } from "../../../src/audience/people/index.ts";
import { aSession } from "../../support/sessions.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aMail, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, runEngine } from "../automations/support.ts";

const ada = "ada@example.org";

/** Returns the context of a caller with these scopes. */
function callerOf(workspace: TestWorkspace, scopes: string[]) {
  const ctx = testContext();
  const { workspaceNumber: number, workspaceId: id } = workspace;
  const of = { number, id, mailShard: ctx.shard };
  return { ...ctx, workspace: of, actor: { scopes: new Set(scopes), domainIds: null } } as unknown as Parameters<
    typeof readTimeline
  >[0];
}

const ALL = ["contacts:view", "emails:view", "automations:view"];

it("the timeline of a person joins emails, events, topics and runs, newest first, and nothing of others", async () => {
  const workspace = await aWorkspace();
  await aList(workspace, [{ email: ada }, { email: "eve@example.org" }]);
  await automationsOf(workspace).start({ name: "Welcome", steps: [{ kind: "wait", for: { days: 1 } }] });
  const api = workspace.withoutQueue;
  await api.post("/v1/emails/", aMail(workspace, { to: [{ email: ada }], subject: "Receipt" }));
  await api.post("/v1/emails/", aMail(workspace, { to: [{ email: "eve@example.org" }], subject: "Other" }));
  const topic = (await aTopic(workspace, { name: "News" })).id;
  await personOf(workspace, ada).choose(topic, "unsubscribed");
  await anEvent(workspace, ada, { name: "signed_up", data: { plan: "gold" } });
  await anEvent(workspace, "eve@example.org", { name: "other" });
  await runEngine();
  const { entries, next } = await readTimeline(callerOf(workspace, ALL), ada);
  const texts = entries.map(({ kind, text }) => `${kind}: ${text}`);
  expect(texts.toSorted()).toEqual(
    expect.arrayContaining([
      "email: “Receipt”: queued",
      "event: signed_up (plan: gold)",
      "run: Entered Welcome: inside",
      "topic: News: unsubscribed",
    ]),
  );
  expect(texts.join()).not.toContain("ther");
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => b - a));
  expect(next).toBeNull();
  const { entries: shown } = await readTimeline(callerOf(workspace, ["contacts:view"]), ada);
  expect(new Set(shown.map(({ kind }) => kind))).toEqual(new Set(["event", "topic"]));
});

it("its pages have every entry once", async () => {
  const workspace = await aWorkspace();
  const start = Date.now() - 1_000_000;
  for (let n = 0; n < 120; n++) await anEvent(workspace, ada, { name: `e${n}`, at: start + Math.floor(n / 3) * 1_000 });
  const names: string[] = [];
  let before: number | undefined;
  do {
    const { entries, next } = await readTimeline(callerOf(workspace, ALL), ada, before);
    names.push(...entries.map(({ text }) => text));
    before = next ?? undefined;
  } while (before !== undefined);
  expect(names).toHaveLength(120);
  expect(new Set(names).size).toBe(120);
});

it("the page of a contact leads to it", async () => {
  const workspace = await aWorkspace();
  const list = await aList(workspace, [{ email: ada }]);
  await anEvent(workspace, ada, { name: "signed_up" });
  const { contacts } = await (await workspace.get(`/v1/contacts/${list}`)).json<{ contacts: { id: string }[] }>();
  const session = await aSession(workspace);
  const path = `/app/contacts/${list}/contacts/${contacts[0]?.id}`;
  expect(await (await session.get(path)).text()).toContain(`${path}/timeline`);
  expect(await (await session.get(`${path}/timeline`)).text()).toContain("signed_up");
});
