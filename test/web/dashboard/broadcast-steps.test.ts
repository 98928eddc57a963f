import { describe, expect, it } from "vitest";
import { aContactList, broadcastsOf } from "../../audience/broadcasts/support.ts";
import { aListWith } from "../../audience/segments/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The four steps of writing a broadcast: audience, content, test, review. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const textOf = async (path: string) => (await session.get(path)).text();
const shownAt = async (path: string) => (await textOf(path)).replace(/<[^>]*>/g, "");
const locationOf = async (path: string, fields: Record<string, string> = {}) => {
  const response = await submit(session, path, { idempotency_key: crypto.randomUUID(), ...fields });
  return response.headers.get("Location") ?? `${response.status} ${await response.text()}`;
};
const stored = async (path: string) =>
  (await workspace.get(path.replace("/app", "/v1"))).json<Record<string, unknown>>();
const variantsOf = async (path: string) =>
  (await workspace.get(`${path.replace("/app", "/v1")}/variants`)).json<{ label: string; subject: string }[]>();
const CONTENT = { subject: "Hi {{name}}", preheader: "", html_body: "<p>Hi</p>", text_body: "", ab_test_pct: "" };
const COMPLETE = { subject: "S", html_body: "<p>T</p>" };

/** Creates a draft by the API and returns its path. */
async function aDraft(fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: "News", subject: "", from_address: workspace.mailbox, ...fields };
  const created = await workspace.create("/v1/broadcasts/", body);
  return `/app/broadcasts/${created.id}`;
}

describe("a draft", () => {
  it("is opened at the first step that is left to do", async () => {
    const list = await aContactList(workspace, 1);
    for (const [fields, step] of [
      [{}, "audience"],
      [COMPLETE, "audience"],
      [{ contact_list_id: list }, "content"],
      [{ contact_list_id: list, subject: "S" }, "content"],
      [{ contact_list_id: list, html_body: "<p>T</p>" }, "content"],
      [{ contact_list_id: list, ...COMPLETE }, "review"],
    ] as const) {
      const path = await aDraft(fields);
      const response = await session.get(path);
      expect([response.status, response.headers.get("Location")]).toEqual([303, `${path}/${step}`]);
    }
  });

  it("goes to the further lists that are checked, which the review names", async () => {
    const [first, second, third] = [
      await aContactList(workspace, 1),
      await aContactList(workspace, 1),
      await aContactList(workspace, 1),
    ];
    await workspace.call("PATCH", `/v1/contacts/${second}`, { name: "Subscribers" });
    const path = await aDraft({ contact_list_id: first, more_contact_list_ids: [third], ...COMPLETE });
    const page = await textOf(`${path}/audience`);
    const version = /name="version" value="([^"]*)"/.exec(page)?.[1] ?? "";
    const checked = [...page.matchAll(/<input type="checkbox"[^>]*value="([^"]*)" checked/g)].map(([, id]) => id);
    expect(checked).toEqual([third]);
    const fields = { name: "News", from_address: workspace.mailbox, contact_list_id: first, version };
    const saved = await submit(session, `${path}/audience`, [
      ...Object.entries(fields),
      ["more_contact_list_ids", second],
      ["more_contact_list_ids", third],
    ]);
    expect(saved.headers.get("Location")).toBe(`${path}/content`);
    expect(await stored(path)).toMatchObject({ more_contact_list_ids: [second, third] });
    expect(await shownAt(`${path}/review`)).toContain("A list, Subscribers, A list");
  });

  it("goes to the segment that is chosen without a list, which the review names with its last count", async () => {
    const conditions = { field: "name", is: "exists" };
    const { id: segment_id } = await workspace.create("/v1/segments/", { name: "Named people", conditions });
    const path = await aDraft(COMPLETE);
    const page = await textOf(`${path}/audience`);
    const version = /name="version" value="([^"]*)"/.exec(page)?.[1] ?? "";
    const fields = { name: "News", from_address: workspace.mailbox, contact_list_id: "", version };
    expect(await locationOf(`${path}/audience`, { ...fields, segment_id })).toBe(`${path}/content`);
    expect(await stored(path)).toMatchObject({ contact_list_id: null, segment_id });
    const review = await shownAt(`${path}/review`);
    expect(review).toContain("Named people");
    expect(review).toContain("The segment was not counted yet. The audience is counted when the broadcast is sent");
    expect(review).not.toContain("No contact of the list would get it");
  });

  it("has a bar of links to each step, which names the current one and those that are done", async () => {
    const path = await aDraft({ contact_list_id: await aContactList(workspace, 1) });
    for (const step of ["audience", "content", "test", "review"]) {
      const bar = /<nav class="stepbar".*?<\/nav>/s.exec(await textOf(`${path}/${step}`))?.[0] ?? "";
      expect(bar.match(/<a href="[^"]*"/g)).toEqual(
        ["audience", "content", "test", "review"].map((one) => `<a href="${path}/${one}"`),
      );
      expect(bar).toContain(`<a href="${path}/${step}" aria-current="step"`);
      expect(bar.match(/\(done\)/g)).toHaveLength(1);
    }
    expect(await textOf("/app/broadcasts/new")).toContain('<span aria-current="step">');
  });

  it("that was sent or scheduled is shown instead of its steps, and a step of it saves nothing", async () => {
    const path = await aDraft({ ...COMPLETE, contact_list_id: await aContactList(workspace, 1) });
    await broadcastsOf(workspace).act(path.split("/").at(-1) ?? "", "send");
    for (const step of ["audience", "content", "test", "review"])
      expect((await session.get(`${path}/${step}`)).headers.get("Location")).toBe(path);
    for (const [step, fields] of [
      ["audience", { name: "Other", from_address: workspace.mailbox }],
      ["content", CONTENT],
      ["review", { when: "now", action: "send" }],
    ] as const)
      expect(await locationOf(`${path}/${step}`, fields)).toMatch(/^409 /);
    expect(await stored(path)).toMatchObject({ name: "News", subject: "S" });
  });
});

describe("the steps", () => {
  it("create a broadcast once, save each form forwards and backwards, and send it", async () => {
    const list = await aContactList(workspace, 2);
    const form = { name: "News", from_address: workspace.mailbox, contact_list_id: list };
    const key = { idempotency_key: crypto.randomUUID() };
    const content = await locationOf("/app/broadcasts/new", { ...form, ...key });
    expect(await locationOf("/app/broadcasts/new", { ...form, ...key })).toBe(content);
    const path = content.replace(/\/content$/, "");
    expect(await stored(path)).toMatchObject({ ...form, status: "draft" });
    expect(await locationOf(content, { ...CONTENT, action: "back" })).toBe(`${path}/audience`);
    expect(await stored(path)).toMatchObject({ subject: "Hi {{name}}", html_body: "<p>Hi</p>" });
    expect(await locationOf(`${path}/audience`, { ...form, name: "Renamed" })).toBe(content);
    expect(await locationOf(content, { ...CONTENT, action: "continue" })).toBe(`${path}/test`);
    expect(await textOf(`${path}/test`)).toContain(`href="${path}/review"`);
    expect(await locationOf(`${path}/test`, { to: "delivered@simulator.test" })).toBe(`${path}/test?done=tested`);
    expect(await textOf(`${path}/test?done=tested`)).toContain("The test is on its way.");
    expect(await shownAt(`${path}/review`)).toContain("2 contacts get it.");
    const sent = { when: "now", max_per_hour: "400", action: "send" };
    expect(await locationOf(`${path}/review`, sent)).toBe(`${path}?done=sending`);
    expect(await stored(path)).toMatchObject({ name: "Renamed", status: "sending", max_per_hour: 400 });
  });

  it("is not sent by a review that shows what was changed since, and by the next one it is", async () => {
    const path = await aDraft({ ...COMPLETE, contact_list_id: await aContactList(workspace, 1) });
    const reviewed = async () => /name="reviewed" value="([^"]+)"/.exec(await textOf(`${path}/review`))?.[1] ?? "";
    const shown = await reviewed();
    await workspace.call("PATCH", path.replace("/app", "/v1"), { subject: "Of another member" });
    const send = { when: "now", action: "send" };
    const refused = await locationOf(`${path}/review`, { ...send, reviewed: shown });
    expect(refused).toMatch(/^409 /);
    expect(refused).toContain("The broadcast was changed after you opened this page.");
    expect(await stored(path)).toMatchObject({ status: "draft" });
    const again = await locationOf(`${path}/review`, { ...send, reviewed: await reviewed() });
    expect(again).toBe(`${path}?done=sending`);
  });

  it("come back with what was filled in when they are refused, and save nothing", async () => {
    const path = await aDraft({ ...COMPLETE, contact_list_id: await aContactList(workspace, 1) });
    const before = await stored(path);
    for (const [step, fields, message] of [
      ["audience", { name: "", from_address: "Kept <k@example.org>" }, "Kept"],
      ["content", { ...CONTENT, ab_test_pct: "many", subject: "Kept" }, 'value="Kept"'],
      ["content", { ...CONTENT, "variant.A": "x".repeat(999) }, 'href="#variant.A"'],
      ["test", { to: "nobody" }, "Enter an address such as ada@example.org"],
      [
        "review",
        { when: "later", scheduled_at: "", max_per_hour: "7", action: "schedule" },
        "Choose a date and a time",
      ],
      ["review", { when: "now", max_per_hour: "many", action: "send" }, 'value="many"'],
    ] as const) {
      const answer = await locationOf(`${path}/${step}`, fields);
      expect(answer, step).toMatch(/^422 /);
      expect(answer, step).toContain(message);
    }
    expect(await stored(path)).toEqual(before);
  });

  it("schedule a broadcast, show it instead of a step, and change the time", async () => {
    const path = await aDraft({ ...COMPLETE, contact_list_id: await aContactList(workspace, 1) });
    const at = new Date(Date.now() + 7_200_000).toISOString().slice(0, 16);
    const later = { when: "later", scheduled_at: at, max_per_hour: "", action: "schedule" };
    expect(await locationOf(`${path}/review`, later)).toBe(`${path}?done=scheduled`);
    expect(await stored(path)).toMatchObject({ status: "scheduled", scheduled_at: `${at}:00.000Z` });
    const page = await textOf(`${path}?done=scheduled`);
    expect(page).toContain("The broadcast is scheduled.");
    expect(page).toContain(`href="${path}/review"`);
    expect(await textOf(`${path}/review`)).toContain(`value="${at}"`);
    expect(await locationOf(`${path}/review`, { ...later, when: "now", action: "save" })).toBe(
      `${path}/review?done=saved`,
    );
    expect(await stored(path)).toMatchObject({ status: "draft", scheduled_at: null });
  });

  it("schedule a broadcast by the clocks of its people, at the time that was filled in, whatever the zone of the viewer is", async () => {
    const metadata = { timezone: "Asia/Tokyo", city: "Tokyo", site: "https://example.org/" };
    const list = await aListWith(workspace, [{ email: "delivered@simulator.test", metadata }]);
    const settings = { time_zone: "Europe/Berlin" };
    await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { settings });
    const path = await aDraft({ ...COMPLETE, contact_list_id: list });
    const options = /<select id="local_time_field".*?<\/select>/s.exec(await textOf(`${path}/review`))?.[0] ?? "";
    expect([...options.matchAll(/value="([^"]*)"/g)].map(([, value]) => value)).toEqual(["", "timezone"]);
    const form = { when: "later", scheduled_at: "2099-07-01T09:00", scheduled_at_zone: "America/New_York" };
    const local = { ...form, max_per_hour: "", local_time_field: "timezone", action: "schedule" };
    expect(await locationOf(`${path}/review`, local)).toBe(`${path}?done=scheduled`);
    const saved = { scheduled_at: "2099-07-01T07:00:00.000Z", local_time_field: "timezone" };
    expect(await stored(path)).toMatchObject({ status: "scheduled", ...saved });
    expect(await shownAt(path)).toContain("2099-07-01 09:00 by the clock of each person (timezone)");
    expect(await textOf(`${path}/review`)).toContain('value="2099-07-01T09:00"');
    const now = { ...local, when: "now", action: "send" };
    expect(await locationOf(`${path}/review`, now)).toBe(`${path}?done=sending`);
    expect(await stored(path)).toMatchObject({ status: "sending", local_time_field: null });
  });

  it("set when the winner of a test is sent by itself, which the page of the broadcast says", async () => {
    const path = await aDraft({ ...COMPLETE, contact_list_id: await aContactList(workspace, 40) });
    const form = { ...CONTENT, "variant.A": "First", "variant.B": "Second", ab_test_pct: "20" };
    const winner = { ab_auto_promote: "6", ab_min_lift: "2.5" };
    expect(await locationOf(`${path}/content`, { ...form, ...winner })).toBe(`${path}/test`);
    const auto = { metric: "clicks", after_hours: 6, min_lift: 0.025 };
    expect(await stored(path)).toMatchObject({ ab_test_pct: 20, ab_auto_promote: auto });
    const page = await textOf(`${path}/content`);
    expect(page).toMatch(/name="ab_auto_promote"[^>]*value="6"/);
    expect(page).toMatch(/name="ab_min_lift"[^>]*value="2\.5"/);
    expect(await locationOf(`${path}/content`, { ...CONTENT, ...winner, ab_auto_promote: "900" })).toMatch(/^422 /);
    // The audience step does not have the fields, and keeps them.
    const audience = {
      name: "News",
      from_address: workspace.mailbox,
      contact_list_id: await aContactList(workspace, 40),
    };
    expect(await locationOf(`${path}/audience`, audience)).toBe(`${path}/content`);
    expect(await stored(path)).toMatchObject({ ab_auto_promote: auto });
    await broadcastsOf(workspace).act(path.split("/").at(-1) ?? "", "send");
    expect(await shownAt(path)).toContain("Chosen by clicks, 6 hours after the sample");
  });

  it("say what an automatic winner lacks, and end it by an empty field", async () => {
    const path = await aDraft({ ...COMPLETE, contact_list_id: await aContactList(workspace, 4) });
    await locationOf(`${path}/content`, { ...CONTENT, ab_auto_promote: "6", ab_min_lift: "" });
    expect(await shownAt(`${path}/review`)).toContain(
      "A winner that is chosen by itself needs a sample and two variants",
    );
    await locationOf(`${path}/content`, { ...CONTENT, ab_auto_promote: "", ab_min_lift: "" });
    expect(await stored(path)).toMatchObject({ ab_auto_promote: null });
  });

  it.each(["audience", "content", "test", "review"])("have one main button each (%s)", async (step) => {
    const path = await aDraft({ ...COMPLETE, contact_list_id: await aContactList(workspace, 1) });
    const page = (await textOf(`${path}/${step}`)).split("<main")[1] ?? "";
    const buttons = page
      .replaceAll(/<details class="dialog".*?<\/details>/gs, "")
      .match(/<button[^>]*>|<a class="button[^>]*>/g);
    // The button that schedules takes the place of the one that sends.
    const main = buttons?.filter((button) => !/ hidden|class="(later|.*\b(quiet|danger|link|bare)\b)/.test(button));
    expect(main).toHaveLength(1);
  });
});

describe("the content of a broadcast", () => {
  it("is filled in from a template, and saved by the next button only", async () => {
    const path = await aDraft();
    const template = { name: "Receipt", subject: "Your receipt", html_body: "<h1>Hi {{name}}</h1>" };
    const { id } = await workspace.create("/v1/templates/", template);
    expect(await textOf(`${path}/content`)).toContain(`value="template:${id}"`);
    const filled = await (
      await submit(session, `${path}/content`, { ...CONTENT, preheader: "Kept", action: `template:${id}` })
    ).text();
    for (const text of ['value="Your receipt"', "&lt;h1&gt;Hi {{name}}&lt;/h1&gt;", 'value="Kept"', "that of Receipt"])
      expect(filled).toContain(text);
    expect(await stored(path)).toMatchObject({ subject: "", html_body: null });
    const other = await aSession(await aWorkspace());
    expect((await submit(other, `${path}/content`, { ...CONTENT, action: `template:${id}` })).status).toBe(404);
  });

  it("gets its variants by the form, each once, and loses one by its button", async () => {
    const path = await aDraft();
    const form = { ...CONTENT, idempotency_key: crypto.randomUUID(), "variant.A": "First", "variant.B": "Second" };
    for (const _ of [1, 2]) expect(await locationOf(`${path}/content`, form)).toBe(`${path}/test`);
    expect((await variantsOf(path)).map(({ label, subject }) => [label, subject])).toEqual([
      ["A", "First"],
      ["B", "Second"],
    ]);
    const page = await textOf(`${path}/content`);
    expect(page).toContain('name="variant.C"');
    const remove = /value="(remove:[0-9a-f-]{36})"/.exec(page)?.[1] ?? "";
    expect(await locationOf(`${path}/content`, { ...CONTENT, subject: "Saved", action: remove })).toBe(
      `${path}/content`,
    );
    expect((await variantsOf(path)).map(({ label }) => label)).toEqual(["B"]);
    expect(await stored(path)).toMatchObject({ subject: "Saved" });
  });

  it("is shown in a frame as it is filled in, and loads nothing", async () => {
    const fields = { html_body: '<p>Hi {{name}}</p><img src="https://example.org/a.png">' };
    const preview = await submit(session, "/app/broadcasts/preview", fields);
    expect(await preview.text()).toContain("<p>Hi name</p>");
    expect(preview.headers.get("Content-Security-Policy")).toContain("img-src data:;");
    expect(await (await submit(session, "/app/broadcasts/preview", { text_body: "1 < 2" })).text()).toContain(
      "1 &lt; 2",
    );
  });
});

describe("the review", () => {
  const aTest = async (contacts: number, ab_test_pct: number | null, labels: readonly string[]) => {
    const list = await aContactList(workspace, contacts);
    const path = await aDraft({ ...COMPLETE, contact_list_id: list, ab_test_pct });
    const broadcasts = broadcastsOf(workspace);
    for (const label of labels) await broadcasts.addVariant(path.split("/").at(-1) ?? "", label);
    return path;
  };

  it("says in people and in shares who gets a variant now and who waits", async () => {
    const shown = await shownAt(`${await aTest(100, 20, ["A", "B"])}/review`);
    expect(shown).toContain("20 get a variant now; 80 wait for your winner.");
    expect(shown).toMatch(/10 % A \(10\)\s*10 % B \(10\)\s*80 % waiting \(80\)/);
  });

  it("says nothing of a sample where there are no variants", async () => {
    const path = await aTest(3, null, []);
    for (const page of [await shownAt(`${path}/review`), await shownAt(`${path}/audience`)])
      expect(page).not.toMatch(/sample|winner|variant/i);
  });

  it("names what keeps the broadcast from being sent, with the step that mends it, and offers no button to send", async () => {
    for (const [path, text, step] of [
      [await aDraft(COMPLETE), "Choose the list that gets it", "audience"],
      [
        await aDraft({ contact_list_id: await aContactList(workspace, 1) }),
        "Write its subject and its content",
        "content",
      ],
      [await aTest(0, null, []), "No contact of the list would get it", "audience"],
      [await aTest(5, 20, ["A", "B"]), "has none for the variant", "content"],
    ] as const) {
      const page = await textOf(`${path}/review`);
      expect(page).toContain(text);
      expect(page).toContain(`<a class="button" href="${path}/${step}">`);
      expect(page).not.toContain('value="send"');
      expect(page).not.toContain("ab_test_pct");
    }
  });

  it("warns of a sample without two variants, and lets it be sent", async () => {
    const page = await textOf(`${await aTest(3, 20, ["A"])}/review`);
    expect(page).toContain("A sample needs two variants.");
    expect(page).toContain('value="send"');
  });
});
