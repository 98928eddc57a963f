import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, beforeEach } from "vitest";
import { type SeedInput, seedWorkspace } from "../../dev/seed-workspace.ts";
import { API_KEY_PURPOSE, keyPrefix, newApiKey } from "../../src/access/accounts/api-key.ts";
import type { Role } from "../../src/access/caller.ts";
import { app } from "../../src/app.ts";
import { keyedHashes } from "../../src/lib/secret-box.ts";
import type { MailCtx, WakeUp } from "../../src/platform/context.ts";
import { createContext } from "../../src/platform/create-context.ts";
import { orm } from "../../src/platform/db/client.ts";
import { apiKeys } from "../../src/platform/db/schema/main/index.ts";
import { onShard } from "../../src/platform/jobs/shards.ts";
import { FILE_SHARD } from "./databases.ts";

/** Returns a context with the test's bindings. `settings` replaces bindings and variables, `now` the clock. */
export function testContext(settings: Record<string, unknown> = {}, now: () => number = Date.now): MailCtx {
  return onShard(createContext({ ...env, ...settings } as Env, "test", now), FILE_SHARD);
}

/** Returns a context that records wake-ups in a list instead of the queue, so that the test decides when to deliver. */
export function recordingContext(settings: Record<string, unknown> = {}, now: () => number = Date.now) {
  const woken: WakeUp[] = [];
  const ctx: MailCtx = {
    ...testContext(settings, now),
    async wake(rows) {
      woken.push(...rows);
      return true;
    },
  };
  return { ctx, woken };
}

let workspaces = 0;

/** Creates a workspace and returns it with functions that call the API with its key; those of `withoutQueue` deliver nothing. */
export async function aWorkspace(options: Partial<SeedInput> = {}) {
  workspaces += 1;
  const name = `w${workspaces}-${crypto.randomUUID().slice(0, 8)}`;
  const seed = await seedWorkspace(testContext(), {
    name,
    email: `owner@${name}.example`,
    domain: `${name}.example`,
    mailboxLocalPart: "hello",
    mailShard: FILE_SHARD,
    ...options,
  });
  return { ...seed, ...apiWith(seed.apiKey), withoutQueue: createApiWithoutQueue(seed.apiKey) };
}

export type TestWorkspace = Awaited<ReturnType<typeof aWorkspace>>;

/** Inserts a further API key of a workspace. `row` sets any column. Returns the key. */
export async function aKey(
  workspace: Pick<TestWorkspace, "workspaceNumber" | "userId">,
  row: Partial<typeof apiKeys.$inferInsert> = {},
): Promise<string> {
  const ctx = testContext();
  const key = newApiKey();
  const [hash = ""] = await keyedHashes(ctx.settings.masterKeys, API_KEY_PURPOSE, key);
  await orm(ctx)
    .insert(apiKeys)
    .values({
      id: ctx.newId(),
      workspace: workspace.workspaceNumber,
      userId: workspace.userId,
      name: "A key",
      prefix: keyPrefix(key),
      hash,
      scopes: ["*"],
      createdAt: ctx.now(),
      ...row,
    });
  return key;
}

/** Inserts a further member of a workspace and an API key of that user. */
export async function aMember(workspace: Pick<TestWorkspace, "workspaceNumber" | "domain">, role: Role) {
  const ctx = testContext();
  const userId = ctx.newId();
  const email = `${role}-${userId}@${workspace.domain}`;
  const { workspaceNumber } = workspace;
  await ctx.db.batch([
    ctx.db
      .prepare("INSERT INTO users (id, email, email_key, created_at) VALUES (?1, ?2, ?2, ?3)")
      .bind(userId, email, ctx.now()),
    ctx.db
      .prepare("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, ?3, ?4)")
      .bind(workspaceNumber, userId, role, ctx.now()),
  ]);
  const apiKey = await aKey({ workspaceNumber, userId });
  return { userId, email, apiKey, ...apiWith(apiKey), withoutQueue: createApiWithoutQueue(apiKey) };
}

type Make<Value> = () => Value | Promise<Value>;
/** An object that is no promise: of a function that returns a promise of a text, TypeScript would infer the promise. */
type Copied = object & { then?: never };

/**
 * Returns an object that is, in each test, a copy of what `make` has returned before the test. The objects of a file are made in their
 * order in it. A class with private fields cannot be copied.
 */
export function perTest<Value extends Copied>(make: Make<Value>): Value {
  const copy = {} as Value;
  beforeEach(async () => become(copy, await make()));
  return copy;
}

/** Returns an object that is a copy of what `make` has returned once, before the tests of the file or suite. */
export function perSuite<Value extends Copied>(make: Make<Value>): Value {
  const copy = {} as Value;
  beforeAll(async () => become(copy, await make()));
  return copy;
}

function become(copy: object, made: object): void {
  Object.setPrototypeOf(Object.assign(copy, made), Object.getPrototypeOf(made));
}

type Fetch = (request: Request) => Promise<Response>;

/** Returns functions that call the Worker with an API key, or without one. `fetch` replaces the Worker. */
export function apiWith(key: string | null, fetch: Fetch = (request) => exports.default.fetch(request)) {
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(
      new Request(`http://api.test${path}`, {
        method,
        redirect: "manual",
        headers: {
          ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        body:
          body === undefined || typeof body === "string" || body instanceof ReadableStream
            ? body
            : JSON.stringify(body),
      }),
    );
  return {
    get: (path: string, headers?: Record<string, string>) => call("GET", path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) => call("POST", path, body, headers),
    /** Posts, and returns the JSON of the response. Throws unless it is 2xx. */
    async create<Out = { id: string }>(path: string, body: unknown, headers?: Record<string, string>): Promise<Out> {
      const response = await call("POST", path, body, headers);
      if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
      return response.json<Out>();
    },
    call,
  };
}

/**
 * Returns functions that call the Worker with some bindings replaced, for example by a database that counts or fails. With a queue of
 * its own for mail, no automation runs either.
 */
export function apiOn(bindings: Record<string, unknown>, key: string | null) {
  return apiWith(key, async (request) => {
    const execution = createExecutionContext();
    const automations = "WORK" in bindings ? { AUTOMATIONS: discardingQueue } : {};
    const response = await app.fetch(request, { ...env, ...automations, ...bindings } as Env, execution);
    await waitOnExecutionContext(execution);
    return response;
  });
}

/** A queue that accepts messages and discards them, so that no delivery runs during the test. */
export const discardingQueue = { send: async () => {}, sendBatch: async () => {} };

/** Returns functions that call the Worker with a queue that discards messages, so that nothing is delivered. */
export function createApiWithoutQueue(key: string | null) {
  return apiOn({ WORK: discardingQueue }, key);
}

/** Returns a valid send request of this workspace. `changes` replaces fields. */
export function aMail(workspace: { mailbox: string }, changes: Record<string, unknown> = {}) {
  return {
    from_: { email: workspace.mailbox, name: "Hello" },
    to: [{ email: "friend@example.org" }],
    subject: "A subject",
    text: "A text.",
    ...changes,
  };
}

/** Polls `read` until `done` accepts its result. Throws after `timeoutMs` milliseconds, with the last result. */
export async function until<T>(read: () => Promise<T>, done: (value: T) => boolean, timeoutMs = 10_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (done(value)) return value;
    if (Date.now() > end) throw new Error(`timed out after ${timeoutMs} ms; the last result: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
