/** Runs of the real code for outbox.model.test.ts: the test decides what their egress replies, and whether they are killed or stall. */
import { ConnectError, type RecipientResult } from "../../../src/mail/smtp/transport.ts";
import type { MailCtx, WakeUp } from "../../../src/platform/context.ts";
import { asDatabase } from "../../../src/platform/db/count-rows.ts";
import { withMail } from "../../../src/platform/jobs/shards.ts";
import { deliver, type Egress } from "../../../src/sending/delivery/index.ts";
import { ACCEPTED, CAPABILITIES } from "../../support/accepting-egress.ts";
import { mail } from "../../support/databases.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import type { Word } from "./model.ts";

export const RUN_KINDS = [
  "ends",
  "ends",
  "ends",
  "unreachable",
  "killed before",
  "killed after",
  "stalls",
  "stalls",
] as const;

interface Plan {
  kind: (typeof RUN_KINDS)[number];
  /** The egress holds emails, and reports. */
  isHolding: boolean;
  /** Replies of the egress, by id of the email. */
  words: ReadonlyMap<string, Word>;
  /** Ids of emails by the address of their recipient. */
  emailAt: ReadonlyMap<string, string>;
}

export interface Run extends Plan {
  isDead: boolean;
  /** Emails that were handed over, with their tickets. */
  sent: { email: string; ticket: string }[];
  /** Resolves when the run was killed, or waits with all its emails. */
  halted: PromiseWithResolvers<void>;
  /** To be resolved when a run that stalls goes on. */
  resumed: PromiseWithResolvers<void>;
  ended: Promise<void>;
}

/** Starts a run for the rows that a message names. `expected`: the emails that it sends. */
export function startRun(ctx: MailCtx, plan: Plan, named: readonly string[], expected: number): Run {
  const waits = { halted: Promise.withResolvers<void>(), resumed: Promise.withResolvers<void>() };
  const run: Run = { ...plan, ...waits, isDead: false, sent: [], ended: Promise.resolve() };
  // A killed run writes nothing any more.
  const database = watchDatabase(mail, async (_, __, call) => {
    if (run.isDead) throw new Error("the run was killed");
    return call();
  });
  const wakeUps = (named.length > 0 ? named : ["none"]).map(
    (id): WakeUp => ({ dueAt: ctx.now(), id, kind: "deliver" }),
  );
  run.ended = deliver(withMail(ctx, asDatabase(database)), wakeUps, egressOf(run, expected)).catch((error: unknown) => {
    if (!run.isDead) throw error;
  });
  return run;
}

const DEFERRED: RecipientResult = {
  ...{ kind: "deferred", phase: "rcpt", reason: "busy", reply: { code: 450, enhanced: "4.2.1", text: "busy" } },
};

/** Returns the egress of a run, without a network. */
function egressOf(run: Run, expected: number): Egress {
  const connection = {
    capabilities: { ...CAPABILITIES, lease: run.isHolding },
    usable: true,
    async send({
      recipients: [to],
      envelopeId: ticket = "",
    }: {
      recipients: readonly { address: string }[];
      envelopeId?: string;
    }) {
      const email = run.emailAt.get(to?.address ?? "") ?? "";
      if (run.kind === "killed before") run.isDead = true;
      if (!run.isDead) run.sent.push({ email, ticket });
      if (run.kind === "killed after") run.isDead = true;
      if (run.isDead || (run.kind === "stalls" && run.sent.length === expected)) run.halted.resolve();
      if (run.kind === "stalls") await run.resumed.promise;
      return { recipients: [run.words.get(email) === "deferred" || run.isDead ? DEFERRED : ACCEPTED] };
    },
    async close() {},
  };
  const open = async () => {
    if (run.kind === "unreachable") throw new ConnectError("connect", null, "the egress is down");
    return connection;
  };
  return { relay: "egress.test", dsn: false, connections: 4, transport: { open } };
}
