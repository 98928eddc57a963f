import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { addMessage } from "../../../../src/mailboxes/mailbox-store/add.ts";
import { continueFilterRun, startFilterRun } from "../../../../src/mailboxes/mailbox-store/filter-run.ts";
import { perTest } from "../../../support/workspace.ts";
import { confirmTarget } from "../../forwarding-rules/support.ts";
import { forwardRows } from "../../forwards/support.ts";
import { aMessage, fill } from "../../mailbox-store/support.ts";
import { anInbox } from "../support.ts";
import { aFilter } from "./support.ts";

const inbox = perTest(anInbox);

interface Run {
  status: string;
  checked: number;
  changed: number;
  total: number;
}

const store = () => env.MAILBOX.getByName(inbox.workspace.mailboxId);
const start = (folder?: unknown) => inbox.call("POST", "/filters/run", folder === undefined ? {} : { folder });
const read = () => inbox.json<Run>("GET", "/filters/run");
/** Runs the alarm, which the platform may also have run meanwhile, until the run has ended. */
async function finish(): Promise<Run> {
  for (;;) {
    const run = await read();
    if (run.status === "done") return run;
    await runDurableObjectAlarm(store());
  }
}

describe("a run of the filters over a folder", () => {
  it("changes each message as its arrival would, by pages, reports its progress, and forwards nothing", async () => {
    await confirmTarget(inbox.workspace, "friend@example.net");
    await fill(store(), 450);
    await inbox.json("POST", "/folders", { name: "Few" });
    const actions = [{ type: "flag" }, { type: "forward", address: "friend@example.net" }];
    await aFilter(inbox, "Subject 4", [{ type: "move", folder: "Few" }, ...actions]);
    const response = await start();
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ folder: "INBOX", status: "running", total: 450 });
    // 4, 40 to 49 and 400 to 449.
    expect(await finish()).toMatchObject({ status: "done", checked: 450, changed: 61, total: 450 });
    const [few, others] = await Promise.all([store().list("Few", { limit: 1_000, offset: 0 }), store().listFolders()]);
    expect(few?.items).toHaveLength(61);
    expect(few?.items.every(({ flagged }) => flagged)).toBe(true);
    expect(others.find(({ name }) => name === "INBOX")?.total).toBe(389);
    expect(await forwardRows(inbox.workspace)).toEqual([]);
  });

  it("finds lists by the header, and leaves what arrives meanwhile to its arrival", async () => {
    await inbox.receive({ Subject: "before", "List-Id": "<dev.example.org>" });
    const match = { conditions: [{ field: "list_id", op: "is", value: "dev.example.org" }] };
    await aFilter(inbox, "", [{ type: "move", folder: "Archive" }], { match });
    await start("inbox");
    await inbox.receive({ Subject: "meanwhile", "List-Id": "<dev.example.org>" });
    expect(await finish()).toMatchObject({ checked: 1, changed: 1 });
    expect((await inbox.list("Archive")).map(({ subject }) => subject).toSorted()).toEqual(["before", "meanwhile"]);
  });

  it("leaves out messages that come into the folder after its start", async () => {
    await aFilter(inbox, "a", [{ type: "flag" }]);
    await runInDurableObject(store(), (_, { storage: { sql } }) => {
      const options = { quotaBytes: null, now: Date.now(), newId: () => crypto.randomUUID() };
      addMessage(sql, aMessage({ subject: "a before" }), options);
      startFilterRun(sql, "INBOX", Date.now());
      addMessage(sql, aMessage({ subject: "a after" }), options);
      continueFilterRun(sql, Date.now());
    });
    expect(await read()).toMatchObject({ status: "done", checked: 1, changed: 1, total: 1 });
    expect(await inbox.list()).toMatchObject([
      { subject: "a after", flagged: false },
      { subject: "a before", flagged: true },
    ]);
  });

  it("is one at a time, of a folder that exists, and can be repeated", async () => {
    expect((await inbox.call("GET", "/filters/run")).status).toBe(404);
    expect((await start("Nowhere")).status).toBe(404);
    expect((await start("")).status).toBe(422);
    await fill(store(), 500);
    const statuses = await Promise.all([start(), start()].map(async (one) => (await one).status));
    expect(statuses.toSorted()).toEqual([202, 409]);
    await finish();
    expect((await start()).status).toBe(202);
    expect(await finish()).toMatchObject({ checked: 500, changed: 0 });
  });

  it("ends when its folder was deleted", async () => {
    await inbox.json("POST", "/folders", { name: "Gone" });
    await start("Gone");
    await store().deleteFolder("Gone");
    expect(await finish()).toMatchObject({ status: "done", checked: 0 });
  });
});
