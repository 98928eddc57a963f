/** Sends whose emails the Worker commits together, and counts of what they write. */
import { vi } from "vitest";
import { CommitGatherer } from "../../src/sending/emails/send/gather-commits.ts";
import { database, MAIL_BINDING, mail } from "./databases.ts";
import { type DatabaseCall, watchDatabase } from "./watch-database.ts";
import { aMail, apiOn, discardingQueue, type TestWorkspace } from "./workspace.ts";

/** A call of `POST /v1/emails/`. */
export interface Send {
  workspace: Pick<TestWorkspace, "apiKey" | "mailbox">;
  /** Fields of the request that differ from those of `aMail`. */
  changes?: Record<string, unknown>;
  headers?: Record<string, string>;
}

interface Settings {
  /** Bindings and variables of the Worker. */
  bindings?: Record<string, unknown>;
  /** Runs each call to the mail database from the transaction of the group on. */
  call?: DatabaseCall;
  /** Gathers the commits in place of the Worker's own. */
  gatherer?: Gatherer;
}

type Gatherer = CommitGatherer<never>;

/**
 * Sends emails while a transaction of the workspace `opener` is open, so that the next transaction takes them all, in the order of
 * `sends`, but those whose Idempotency-Key is that of an earlier one. Returns the responses in this order. `meanwhile` runs while they wait.
 */
export async function sendTogether(
  opener: Send["workspace"],
  sends: readonly Send[],
  settings: Settings = {},
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Response[]> {
  const { opened, responses, release } = await gatherSends(opener, sends, settings);
  try {
    await meanwhile();
  } finally {
    release();
  }
  const first = await opened;
  if (first.status !== 202) throw new Error(`the first send was refused: ${await first.text()}`);
  return Promise.all(responses);
}

/**
 * The same, and returns when the sends wait. `release` lets the transaction of `opener` run, and `opened` is its response. Each send is
 * started when the one before it waits, or was refused before.
 */
export async function gatherSends(
  opener: Send["workspace"],
  sends: readonly Send[],
  { bindings = {}, call = (_, __, run) => run(), gatherer }: Settings = {},
) {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  let calls = 0;
  const held = watchDatabase(mail, async (method, statements, run) => {
    if (calls++ > 0) return call(method, statements, run);
    await isReleased;
    return run();
  });
  const worker = { WORK: discardingQueue, ...bindings, [MAIL_BINDING]: held };
  const gathering = watchGathering(gatherer);
  const start = async ({ workspace, changes, headers }: Send) => {
    const isWaiting = gathering.next();
    const response = apiOn(worker, workspace.apiKey).post("/v1/emails/", aMail(workspace, changes), headers);
    await Promise.race([isWaiting, response]);
    return { response };
  };
  try {
    const { response: opened } = await start({ workspace: opener });
    const responses: Promise<Response>[] = [];
    for (const send of sends) responses.push((await start(send)).response);
    return { opened, responses, release };
  } finally {
    gathering.end();
  }
}

/** Watches the commits of the Worker, and gathers them by `own` if that is given. */
function watchGathering(own?: Gatherer) {
  let arrival = Promise.withResolvers<void>();
  const { commit } = CommitGatherer.prototype as Gatherer;
  const spy = vi.spyOn(CommitGatherer.prototype as Gatherer, "commit");
  spy.mockImplementation(function (this: Gatherer, ...values) {
    const result = commit.apply(own ?? this, values);
    arrival.resolve();
    return result;
  });
  return {
    /** Resolves when the next commit waits for a transaction, or has begun one. */
    next(): Promise<void> {
      arrival = Promise.withResolvers();
      return arrival.promise;
    },
    end: () => spy.mockRestore(),
  };
}

// The order of the tables is that of their statements.
const COUNT_ROWS = `
  SELECT (SELECT count(*) FROM emails WHERE workspace = ?1) AS emails,
    (SELECT count(*) FROM outbox o, json_each(o.ref) r JOIN emails e ON e.n = r.value
      WHERE o.kind = 'deliver' AND e.workspace = ?1) AS outbox,
    (SELECT count(*) FROM changes c, json_each(c.emails) WHERE c.workspace = ?1) AS changes,
    (SELECT count(*) FROM idempotency_keys WHERE workspace = ?1) AS responses,
    (SELECT count(*) FROM webhook_deliveries WHERE workspace = ?1) AS deliveries,
    (SELECT coalesce(sum(day_emails), 0) FROM shard_workspaces WHERE number = ?1) AS day`;

/** Counts what sends write for a workspace. `outbox` and `changes` are the emails that rows there name. */
export async function countRows({ workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">) {
  type Counts = Record<"emails" | "outbox" | "changes" | "responses" | "deliveries" | "day", number>;
  const counts = await database.row<Counts>(COUNT_ROWS, [workspaceNumber]);
  if (!counts) throw new Error("a SELECT without FROM has no row");
  return counts;
}

/** Sets the limit of emails a day of a workspace. */
export const limitTo = ({ workspaceId }: Pick<TestWorkspace, "workspaceId">, limit: number | null) =>
  database.run("UPDATE workspaces SET daily_limit = ?2 WHERE id = ?1", [workspaceId, limit]);

/** An address that `suppress` has made one that no email is sent to. */
const SUPPRESSED = "suppressed@example.org";

/** Suppresses one address of a workspace, so that an email to it alone is rejected. */
export const suppress = ({ workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">) =>
  database.run("INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, ?2, 'bounce', 1)", [
    workspaceNumber,
    SUPPRESSED,
  ]);

/** Fields of an email that is rejected, and of one that is scheduled. */
export const REJECTED = { to: [{ email: SUPPRESSED }] };
export const scheduled = () => ({ send_at: new Date(Date.now() + 1_800_000).toISOString() });

/** Settings with which webhook events are recorded, and no webhook is called. */
export const WITH_WEBHOOKS = { LIVE_WEBHOOKS: "on", WEBHOOKS: discardingQueue };

/** Inserts a webhook for all events that a send may cause. */
export const addWebhook = ({ workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">) =>
  mail
    .prepare("INSERT INTO webhook_endpoints (id, workspace, version, events) VALUES (?1, ?2, 1, ?3)")
    .bind(crypto.randomUUID(), workspaceNumber, JSON.stringify(["email.failed"]))
    .run();

/** Closes a workspace as its deletion does, in the mail database only: its credentials work on for sends that were read before. */
export const close = ({ workspaceNumber, workspaceId }: Pick<TestWorkspace, "workspaceNumber" | "workspaceId">) =>
  mail
    .prepare(
      `INSERT INTO shard_workspaces (number, id, status) VALUES (?1, ?2, 'closed')
       ON CONFLICT DO UPDATE SET status = 'closed'`,
    )
    .bind(workspaceNumber, workspaceId)
    .run();
