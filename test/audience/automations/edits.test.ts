import { expect, it } from "vitest";
import { apiWithRace } from "../../support/api-with-race.ts";
import { aWorkspace } from "../../support/workspace.ts";
import { automationsOf } from "./support.ts";

/** Edits of one automation at the same time. */

const step = (message: string) => ({ kind: "notify", message });

it.each([{ steps: [step("Mine")] }, { trigger: { event: "mine" } }, { entry: { mode: "every" } }])(
  "an edit is refused when another call changes the automation at the same time: %o",
  async (mine) => {
    const workspace = await aWorkspace();
    const { api, create, path, read } = automationsOf(workspace);
    const { id } = await create({ steps: [step("First")] });
    const steps = [step("First"), step("By another")];
    // The edit has read the automation before its batch.
    const racing = apiWithRace(workspace.apiKey, 0, () => api.call("PATCH", path(id), { steps }));
    const response = await racing.call("PATCH", path(id), mine);
    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining("at the same time")]);
    expect(await read(id)).toMatchObject({ steps, trigger: { event: "signed_up" }, entry: { mode: "once" } });
    expect((await api.call("PATCH", path(id), mine)).status).toBe(200);
    expect(await read(id)).toMatchObject(mine);
  },
);

it("an edit goes on when another call changes only the name or the status at the same time", async () => {
  const workspace = await aWorkspace();
  const { api, create, path, read } = automationsOf(workspace);
  for (const [meanwhile, after] of [
    [(id: string) => api.call("PATCH", path(id), { name: "Renamed" }), { name: "Renamed" }],
    [(id: string) => api.post(path(id, "/activate"), undefined), { status: "active", version: 2 }],
  ] as const) {
    const { id } = await create({ steps: [step("First")] });
    const racing = apiWithRace(workspace.apiKey, 0, () => meanwhile(id));
    expect((await racing.call("PATCH", path(id), { steps: [step("Mine")] })).status).toBe(200);
    expect(await read(id)).toMatchObject({ steps: [step("Mine")], ...after });
  }
});

it("an email keeps the data of an editor, whose numbers are exact, in every version", async () => {
  const workspace = await aWorkspace();
  const { api, start, path, read } = automationsOf(workspace);
  const email = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hi", html: "<p>Hi</p>" };
  const steps = [{ ...email, blocks_json: { version: 1, blocks: [{ type: "text", text: "Hi", url: "" }] } }];
  const { id } = await start({ steps });
  expect(await read(id)).toMatchObject({ steps, status: "active" });
  for (const blocks_json of [[], "x", { a: 2 ** 53 }])
    expect((await api.call("PATCH", path(id), { steps: [{ ...email, blocks_json }] })).status).toBe(422);
  expect((await api.call("PATCH", path(id), { steps: [{ ...email, blocks_json: null }] })).status).toBe(200);
});
