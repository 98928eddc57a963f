import * as z from "zod";
import { BodyBudget, largeBodyLimits, UNKNOWN_CALLER } from "../../http/body-budget.ts";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { readEnvelope } from "../../http/gateway-headers.ts";
import { needs } from "../../http/needs.ts";
import { badRequest } from "../../lib/errors.ts";
import { LEASE_MS } from "../smtp-credentials/index.ts";
import { acceptSubmissions } from "./accept.ts";
import { checkSender } from "./check-sender.ts";
import { confirmResponses } from "./confirm.ts";
import { readGroup } from "./read-group.ts";
import { toReply } from "./replies.ts";
import type { Result } from "./results.ts";
import { readSmtpSession, startSmtpSessions } from "./sessions.ts";

/** Equal logins of several connections. */
const LoginIn = z.object({
  username: z.string().max(400),
  password: z.string().max(1_000),
  connections: z
    .array(z.object({ ip: z.string().max(100), connection: z.string().max(100) }))
    .min(1)
    .max(16),
});
const SenderIn = z.object({ token: z.string().max(2_048), address: z.string().max(1_000) });
const Confirmed = z.object({
  token: z.string().max(2_048),
  connection: z.string().max(100),
  keys: z.array(z.string().max(100)).max(100),
});
const ConfirmIn = z.object({ confirmations: z.array(Confirmed).min(1).max(64) });

/** One part of an upload and what it is copied from: most messages need less. */
const MESSAGE_BYTES = 6_000_000;
const MEMORY = 36_000_000;
const bodies = new BodyBudget({ ...largeBodyLimits, total: MEMORY, unknownCallers: MEMORY });

/** Responses of the gateway's calls: `reply` is set when the command is refused. An error of the service is a 500. */
async function respond<Result extends object>(work: () => Promise<Result>) {
  try {
    return { reply: null, ...(await work()) };
  } catch (error) {
    const reply = toReply(error);
    if (reply === null) throw error;
    return { reply: reply.replace(/[^\x20-\x7e]+/g, "?") };
  }
}

/** The calls of the mail gateway for submitted mail. */
export const submissionRoutes = newRoutes()
  .post("/gateway/sessions", needs("gateway"), async (c) => {
    const login = await readFields(c, LoginIn);
    const results = await startSmtpSessions(c.get("ctx"), login, login.connections);
    const responses = results.map((result) => respond(async () => ({ ...unwrap(result), lease_ms: LEASE_MS })));
    return c.json({ reply: null, answers: await Promise.all(responses) });
  })
  .post("/gateway/senders", needs("gateway"), async (c) => {
    const { token, address } = await readFields(c, SenderIn);
    const ctx = c.get("ctx");
    return c.json(
      await respond(async () => {
        await checkSender(ctx, await readSmtpSession(ctx, token), address);
        return { lease_ms: LEASE_MS };
      }),
    );
  })
  .post("/gateway/confirmations", needs("gateway"), async (c) => {
    const { confirmations: items } = await readFields(c, ConfirmIn);
    const ctx = c.get("ctx");
    const read = await Promise.allSettled(
      items.map(async ({ token, connection, keys }) => ({
        session: { ...(await readSmtpSession(ctx, token)), connection },
        keys,
      })),
    );
    // A session that has ended must not keep the responses of others from being deleted.
    const confirmations = read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    if (confirmations.length === 0) await Promise.all(items.map(({ token }) => readSmtpSession(ctx, token)));
    await confirmResponses(ctx, confirmations);
    return c.json({ reply: null });
  })
  .post("/gateway/submissions", needs("gateway"), async (c) => {
    const envelope = readEnvelope(c);
    if (!envelope) throw badRequest("X-Envelope is missing or malformed");
    const sequence = Number(c.req.header("X-Sequence") ?? 0);
    if (!Number.isInteger(sequence)) throw badRequest("X-Sequence is malformed");
    const token = c.req.header("X-Session") ?? "";
    const connection = c.req.header("X-Connection");
    const room = bodies.open(UNKNOWN_CALLER);
    try {
      const body = c.req.raw.body ?? new Blob([]).stream();
      const stream = { [Symbol.asyncIterator]: () => body.values({ preventCancel: true }) };
      const reserve = () => room.growTo(MESSAGE_BYTES);
      const submission = { token, connection, envelope, sequence, stream, reserve };
      const [result] = await acceptSubmissions(withWaitUntil(c), [submission]);
      // The rest that a refusal left unread: a gateway that still writes would miss the response, and tell its client to try again.
      for await (const _ of body);
      return c.json(await respond(async () => unwrap(result)));
    } finally {
      room.free();
    }
  })
  .post("/gateway/submission-groups", needs("gateway"), async (c) => {
    const ctx = withWaitUntil(c);
    const group = await readGroup(c.req.raw);
    const room = bodies.open(UNKNOWN_CALLER);
    try {
      const submissions = group.map(({ bytes, ...item }) => ({
        ...item,
        stream: toStream(bytes),
        reserve: () => room.growTo(MESSAGE_BYTES),
      }));
      const results = await acceptSubmissions(ctx, submissions);
      const responses = results.map((result) =>
        respond(async () => unwrap(result)).catch((error: unknown) => {
          ctx.log("submission.failed", { error: String(error) });
          return { reply: "451 4.3.0 The message could not be stored; try again later" };
        }),
      );
      return c.json({ reply: null, lease_ms: LEASE_MS, answers: await Promise.all(responses) });
    } finally {
      room.free();
    }
  });

/** Returns a context with which work after the response, such as a wake-up, does not delay it. */
function withWaitUntil(c: AppContext) {
  return { ...c.get("ctx"), waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work) };
}

function unwrap<Value>(result: Result<Value> | undefined): Value {
  if (result && "value" in result) return result.value;
  throw result?.error;
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
