import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, MAIL_BINDING } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { GATEWAY_HEADERS } from "../../support/submissions.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aMail, apiOn, aWorkspace, recordingContext } from "../../support/workspace.ts";

const EMAILS = 50;
const people = Array.from({ length: EMAILS }, (_, n) => ({ email: `p${n}@example.org` }));

/** Returns databases of which the calls and the rows written are counted. */
function countedDatabases() {
  const count = { calls: 0, written: 0 };
  const counted = (name: "DB" | typeof MAIL_BINDING) =>
    watchDatabase(env[name], async (_, __, run) => {
      const result = await run();
      count.calls += 1;
      for (const { meta } of [result].flat() as D1Result[]) count.written += meta.rows_written;
      return result;
    });
  return { count, bindings: { DB: counted("DB"), [MAIL_BINDING]: counted(MAIL_BINDING) } };
}

for (const [name, rowsOfEmail] of [
  // The claim and the end of its outbox row, and its outcome.
  ["single emails", 3],
  ["emails of a batch", 1],
] as const)
  it(`${name} cost ${rowsOfEmail} rows each from the claim to the receiver's word, and the report of ${EMAILS} three calls`, async () => {
    await database.run("DELETE FROM outbox");
    const [workspace, server] = [await aWorkspace(), await holdingServer()];
    // The claim after one whose server offered to hold emails is long enough at once.
    await acceptEmail(recordingContext().ctx, workspace);
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    await database.run("DELETE FROM outbox");
    const ids: string[] = [];
    if (name === "single emails")
      for (const to of people) ids.push(await acceptEmail(recordingContext().ctx, workspace, { to: [to] }));
    else
      await workspace.withoutQueue.post(
        "/v1/emails/batch",
        people.map((to) => aMail(workspace, { to: [to] })),
      );

    const run = countedDatabases();
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url, ...run.bindings }, ["deliver"]);
    const held = (await heldMails(server)).slice(1);
    expect(held).toHaveLength(EMAILS);
    const report = countedDatabases();
    const outcomes = held.map(({ ticket, address }) => {
      return { ticket, recipients: [{ address, result: results.accepted }] };
    });
    const body = { address: "192.0.2.1", outcomes };
    const response = await apiOn(report.bindings, null).post("/gateway/outcomes", body, GATEWAY_HEADERS);
    expect(response.status).toBe(200);
    expect(report.count.calls).toBe(3);
    // Beside these a few for each report: its change, roll-up, receiver and volume.
    expect(run.count.written + report.count.written).toBeLessThanOrEqual(rowsOfEmail * EMAILS + 6);
    const left = await database.row(
      "SELECT count(*) AS n FROM emails WHERE workspace = ?1 AND status = 'delivered' AND content IS NULL",
      [workspace.workspaceNumber],
    );
    expect(left).toEqual({ n: EMAILS });
    for (const id of ids.slice(0, 2)) expect((await readEmail(workspace, id)).text_body).toBe("A text.");
  });
