import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, MAIL_BINDING } from "../../support/databases.ts";
import { eventTypes, readEmail } from "../../support/emails.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aWorkspace, recordingContext } from "../../support/workspace.ts";

const numberOf = (id: string) => database.row<{ n: number }>("SELECT n FROM emails WHERE id = ?1", [id]);

it("an outcome is never written to another workspace's email that got the number of a deleted one", async () => {
  const [workspace, other] = [await aWorkspace(), await aWorkspace()];
  const sink = await sinkServer();
  const { ctx, woken } = recordingContext();
  const id = await acceptEmail(ctx, workspace);
  const number = await numberOf(id);
  let later = "";
  // The email is purged with its workspace while the egress has it, before the first write of the outcome.
  const purging = watchDatabase(env[MAIL_BINDING], async (_, statements, run) => {
    if (later === "" && statements.some(({ sql }) => sql.includes("UPDATE emails SET status = j.value"))) {
      await database.run("DELETE FROM outbox WHERE id = ?1", [id]);
      await database.run("DELETE FROM emails WHERE id = ?1", [id]);
      later = await acceptEmail(ctx, other, { to: [{ email: "friend@example.org" }] });
    }
    return run();
  });
  const delivering = recordingContext({ EGRESS_URL: sink.url, [MAIL_BINDING]: purging });
  await deliver(delivering.ctx, woken, egressOf(delivering.ctx.settings));
  expect(await numberOf(later)).toEqual(number);
  expect(await sink.messages()).toHaveLength(1);
  expect((await readEmail(other, later)).status).toBe("queued");
  expect(await eventTypes(other, later)).toEqual(["queued"]);
});
