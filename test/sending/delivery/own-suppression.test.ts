import { expect, it } from "vitest";
import { asDatabase } from "../../../src/platform/db/count-rows.ts";
import { withMail } from "../../../src/platform/jobs/shards.ts";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, mail } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { scriptedServer } from "../../support/smtp-control.ts";
import { aWorkspace, recordingContext } from "../../support/workspace.ts";

const LATER_MS = 10 * 60_000;

const bouncing = () => scriptedServer({ recipients: { "friend@example.org": "550 5.1.1 no such user" } });

it("a kill between the suppression and the outcome does not turn `bounced` into `suppressed`", async () => {
  const workspace = await aWorkspace();
  const server = await bouncing();
  const { ctx, woken } = recordingContext({ EGRESS_URL: server.url });
  const id = await acceptEmail(ctx, workspace);
  // Every write to the mail database after the claim fails, as if the process was killed before it.
  let calls = 0;
  const real = mail;
  const killed = {
    prepare: (sql: string) => real.prepare(sql),
    batch: async (statements: D1PreparedStatement[]) => {
      calls += 1;
      if (calls > 1) throw new Error("killed");
      return real.batch(statements);
    },
  } as unknown as D1Database;
  await expect(deliver(withMail(ctx, asDatabase<"mail">(killed)), woken, egressOf(ctx.settings))).rejects.toThrow();
  const suppressed = await database
    .prepare("SELECT email, reason, email_id FROM suppressions WHERE workspace = ?1")
    .bind(workspace.workspaceNumber)
    .all();
  expect(suppressed.results).toEqual([{ email: "friend@example.org", reason: "bounce", email_id: id }]);
  expect((await readEmail(workspace, id)).status).not.toBe("bounced");

  await runOutboxAt(Date.now() + LATER_MS, { EGRESS_URL: server.url }, ["deliver"]);
  const { status, events } = await readEmail(workspace, id);
  expect(status).toBe("bounced");
  expect(events.map(({ event_type }) => event_type)).not.toContain("suppressed");
  const other = await acceptEmail(ctx, workspace);
  expect((await readEmail(workspace, other)).status).toBe("rejected");
});
