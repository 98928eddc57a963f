/** Emails that are sent at the same time are committed together, and each send has the result that it has alone. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  addWebhook,
  close,
  countRows,
  limitTo,
  REJECTED,
  type Send,
  scheduled,
  sendTogether,
  suppress,
  WITH_WEBHOOKS,
} from "../../../support/commit-groups.ts";
import { database, mail } from "../../../support/databases.ts";
import { type Accepted, accepted } from "../../../support/emails.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perSuite, type TestWorkspace } from "../../../support/workspace.ts";

const opener = perSuite(aWorkspace);
const key = (value: string) => ({ "Idempotency-Key": value });

/** Returns the ids of the updates feed. */
async function updatesOf(workspace: TestWorkspace): Promise<string[]> {
  const response = await workspace.get("/v1/emails/updates?since=2026-01-01T00:00:00Z");
  return (await response.json<{ id: string }[]>()).map(({ id }) => id);
}

const bodiesOf = (responses: readonly Response[]) => Promise.all(responses.map(accepted));
const idsOf = (bodies: readonly Accepted[]) => bodies.map(({ id }) => id);

/** Sends one email alone and returns the response as `shown` shows it. */
async function sendAlone({ workspace, changes, headers }: Send) {
  const api = apiOn({ ...WITH_WEBHOOKS, WORK: discardingQueue }, workspace.apiKey);
  return shown(await api.post("/v1/emails/", aMail(workspace, changes), headers));
}

/** Returns what a client sees of a response, without the time that is left of the day. */
async function shown(response: Response) {
  const replayed = response.headers.get("Idempotency-Replayed");
  return [response.status, replayed, response.headers.get("RateLimit-Policy"), await response.json()];
}

describe("sends of two workspaces at once", () => {
  it("have each an id, a response and rows of their own, and neither workspace sees anything of the other", async () => {
    const both = [await aWorkspace(), await aWorkspace()];
    const sends = Array.from({ length: 12 }, (_, at) => at);
    const found = await Promise.all(
      both.map(async (workspace) => {
        const post = (at: number) => workspace.post("/v1/emails/", aMail(workspace, { subject: `Subject ${at}` }));
        const bodies = await bodiesOf(await Promise.all(sends.map(post)));
        return { workspace, ids: idsOf(bodies) };
      }),
    );
    expect(new Set(found.flatMap(({ ids }) => ids)).size).toBe(2 * sends.length);
    for (const { workspace, ids } of found) {
      const subjects = await Promise.all(
        ids.map(async (id) => (await (await workspace.get(`/v1/emails/${id}`)).json<{ subject: string }>()).subject),
      );
      expect(subjects).toEqual(sends.map((at) => `Subject ${at}`));
      expect((await updatesOf(workspace)).toSorted()).toEqual(ids.toSorted());
      for (const other of found.filter((one) => one.workspace !== workspace))
        expect((await workspace.get(`/v1/emails/${other.ids[0]}`)).status).toBe(404);
    }
  });
});

describe("a group", () => {
  it("is one transaction, in which emails of one workspace that are due now share an outbox row", async () => {
    const [one, two] = [await aWorkspace(), await aWorkspace()];
    let calls = 0;
    const call = (_: string, __: unknown, run: () => Promise<D1Result[]>) => {
      calls += 1;
      return run();
    };
    const sends = [
      { workspace: one },
      { workspace: two },
      { workspace: one },
      { workspace: one, changes: scheduled() },
    ];
    const ids = idsOf(await bodiesOf(await sendTogether(opener, sends, { call })));
    expect(calls).toBe(1);
    const { results } = await mail
      .prepare(
        `SELECT o.workspace, json_group_array(e.id) AS ids FROM outbox o, json_each(o.ref) r JOIN emails e ON e.n = r.value
          WHERE o.workspace IN (?1, ?2) AND coalesce(e.outbox_id, e.id) = o.id GROUP BY o.id ORDER BY o.due_at, o.workspace`,
      )
      .bind(one.workspaceNumber, two.workspaceNumber)
      .all<{ workspace: number; ids: string }>();
    expect(results.map((row) => [row.workspace, (JSON.parse(row.ids) as string[]).toSorted()])).toEqual([
      [one.workspaceNumber, [ids[0], ids[2]].toSorted()],
      [two.workspaceNumber, [ids[1]]],
      [one.workspaceNumber, [ids[3]]],
    ]);
    const changes = await Promise.all(
      [one, two].map(({ workspaceNumber }) =>
        database.value("SELECT count(*) AS n FROM changes WHERE workspace = ?1", [workspaceNumber]),
      ),
    );
    expect(changes).toEqual([1, 1]);
  });

  it("tells the webhooks of a workspace of its own emails only", async () => {
    const both = [await aWorkspace(), await aWorkspace()];
    for (const workspace of both) await Promise.all([suppress(workspace), addWebhook(workspace)]);
    const sends = [...both, ...both].map((workspace) => ({ workspace, changes: REJECTED }));
    const ids = idsOf(await bodiesOf(await sendTogether(opener, sends, { bindings: WITH_WEBHOOKS })));
    for (const [at, { workspaceNumber }] of both.entries()) {
      const { results } = await mail
        .prepare("SELECT email, payload FROM webhook_deliveries WHERE workspace = ?1 ORDER BY n")
        .bind(workspaceNumber)
        .all<{ email: string; payload: string }>();
      const own = [ids[at], ids[at + 2]];
      expect(results.map(({ email }) => email)).toEqual(own);
      const payloads = results.map(({ payload }) => JSON.parse(payload) as { email_id: string });
      expect(payloads.map(({ email_id }) => email_id)).toEqual(own);
    }
  });

  it("counts the emails of one workspace for its daily limit", async () => {
    const [limited, other] = [await aWorkspace(), await aWorkspace()];
    await limitTo(limited, 3);
    const sends = [limited, other, limited, limited, limited, other, limited].map((workspace) => ({ workspace }));
    const responses = await sendTogether(opener, sends);
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 202, 202, 429, 202, 429]);
    expect(await countRows(limited)).toMatchObject({ emails: 3, outbox: 3, changes: 3, day: 3 });
    expect(await countRows(other)).toMatchObject({ emails: 2, outbox: 2, changes: 2, day: 0 });
  });

  it("replays the first response to a second send with its Idempotency-Key; with another body that is a 409", async () => {
    const [workspace, other] = [await aWorkspace(), await aWorkspace()];
    const sends = [
      { workspace, headers: key("a") },
      { workspace, headers: key("a") },
      { workspace, headers: key("a"), changes: { subject: "Another" } },
      { workspace: other, headers: key("a") },
    ];
    const [first, second, third, fourth] = await Promise.all((await sendTogether(opener, sends)).map(shown));
    expect(first?.slice(0, 2)).toEqual([202, null]);
    expect(second).toEqual([202, "true", null, first?.[3]]);
    expect(third).toEqual([409, null, null, { detail: "This Idempotency-Key was used for another request" }]);
    expect(fourth?.slice(0, 2)).toEqual([202, null]);
    expect(await countRows(workspace)).toMatchObject({ emails: 1, outbox: 1, changes: 1, responses: 1 });
    expect(await countRows(other)).toMatchObject({ emails: 1, outbox: 1, changes: 1, responses: 1 });
  });
});

describe("a send that is refused in a group", () => {
  it("has the response that it has alone, leaves no row and no object, and stops no other", async () => {
    const [good, closed, used, limited] = [
      await aWorkspace(),
      await aWorkspace(),
      await aWorkspace(),
      await aWorkspace(),
    ];
    for (const workspace of [good, closed, used, limited])
      await Promise.all([suppress(workspace), addWebhook(workspace)]);
    await limitTo(limited, 1);
    const first = await sendAlone({ workspace: used, headers: key("used") });
    await sendAlone({ workspace: limited });
    await close(closed);
    const large = { text: "x".repeat(20_000) };
    const refused: Send[] = [
      { workspace: closed },
      { workspace: closed, changes: REJECTED, headers: key("b") },
      { workspace: used, headers: key("used") },
      { workspace: used, headers: key("used"), changes: { ...REJECTED, ...large } },
      { workspace: limited, headers: key("c") },
      { workspace: limited, changes: { ...REJECTED, ...large } },
      { workspace: limited, changes: scheduled() },
    ];
    const accepting: Send[] = [{}, { changes: REJECTED }, { changes: scheduled() }, { headers: key("good") }].map(
      (send) => ({ ...send, workspace: good }),
    );
    const before = await Promise.all([closed, used, limited].map(countRows));
    const sends = [...refused.slice(0, 4), ...accepting, ...refused.slice(4)];
    const responses = await sendTogether(opener, sends, { bindings: WITH_WEBHOOKS });
    const together = await Promise.all(responses.map(shown));
    expect(together.slice(4, 8).map(([status]) => status)).toEqual([202, 202, 202, 202]);
    expect(await Promise.all([closed, used, limited].map(countRows))).toEqual(before);
    expect(await countRows(good)).toEqual({ emails: 4, outbox: 3, changes: 4, responses: 1, deliveries: 1, day: 0 });
    const alone = [];
    for (const send of refused) alone.push(await sendAlone(send));
    expect([...together.slice(0, 4), ...together.slice(8)]).toEqual(alone);
    expect(alone.map(([status]) => status)).toEqual([409, 409, 202, 409, 429, 429, 429]);
    expect(alone[2]).toEqual([202, "true", null, first[3]]);
    for (const { workspaceId } of [closed, used, limited])
      expect((await env.CONTENT.list({ prefix: `w/${workspaceId}/` })).objects).toEqual([]);
  });

  it("as its workspace is deleted while it waits is a 409, and keeps nothing", async () => {
    const [deleted, good] = [await aWorkspace(), await aWorkspace()];
    const meanwhile = () => deleted.call("DELETE", `/v1/workspaces/${deleted.workspaceId}`);
    const sends = [{ workspace: deleted }, { workspace: good }, { workspace: deleted, headers: key("a") }];
    const responses = await sendTogether(opener, sends, {}, meanwhile);
    expect(responses.map(({ status }) => status)).toEqual([409, 202, 409]);
    expect(await countRows(deleted)).toMatchObject({ emails: 0, outbox: 0, changes: 0, responses: 0 });
    expect(await countRows(good)).toMatchObject({ emails: 1, outbox: 1, changes: 1 });
  });
});
