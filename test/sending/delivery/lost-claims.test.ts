/** Claims whose connection to D1 is lost: the run does not know whether they have committed. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, MAIL_BINDING } from "../../support/databases.ts";
import { ERRORS } from "../../support/distance/rules.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

/** Returns the mail database, which loses the connection of the first claim: after its commit, or before it. */
function losingClaim(moment: "before" | "after") {
  const made = { claims: 0 };
  const binding = watchDatabase(env[MAIL_BINDING], async (_, statements, run) => {
    if (!statements.some(({ sql }) => sql.includes("claims = claims + 1"))) return run();
    made.claims += 1;
    if (made.claims > 1) return run();
    if (moment === "after") await run();
    throw new Error(ERRORS.D1.lost);
  });
  return { bindings: { [MAIL_BINDING]: binding }, made };
}

describe("a claim whose connection is lost", () => {
  for (const [moment, claims] of [
    ["after", 1],
    ["before", 2],
  ] as const)
    it(`is delivered by the same run, at once and as its first claim: ${moment} its commit`, async () => {
      const sink = await sinkServer();
      const accepting = recordingContext();
      const id = await acceptEmail(accepting.ctx, workspace, { to: [{ email: "a@one.test" }] });
      const { bindings, made } = losingClaim(moment);
      const { ctx } = recordingContext({ ...bindings, EGRESS_URL: sink.url });
      await deliver(ctx, accepting.woken, egressOf(ctx.settings));
      expect(made.claims).toBe(claims);
      const row = await database.row("SELECT status FROM emails WHERE id = ?1", [id]);
      expect(row).toEqual({ status: "delivered" });
      expect(await sink.messages()).toHaveLength(1);
      expect((await database.row<{ n: number }>("SELECT count(*) AS n FROM outbox"))?.n).toBe(0);
    });
});
