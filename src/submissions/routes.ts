import { type Context, Hono } from "hono";
import * as z from "zod";
import { badRequest } from "../errors.ts";
import { BodyBudget, largeBodyLimits, UNKNOWN_CALLER } from "../http/body-budget.ts";
import type { AppEnv } from "../http/env.ts";
import { readFields } from "../http/fields.ts";
import { readEnvelope, requireGateway } from "../http/gateway-auth.ts";
import { type Accepted, acceptSubmissions, type Result } from "./accept.ts";
import { checkSender } from "./check-sender.ts";
import { confirmAnswers } from "./confirm.ts";
import { readGroup } from "./read-group.ts";
import { toReply } from "./replies.ts";
import { readSmtpSession, startSmtpSession } from "./sessions.ts";

const LoginIn = z.object({
  username: z.string().max(400),
  password: z.string().max(1_000),
  ip: z.string().max(100),
  connection: z.string().max(100),
});
const SenderIn = z.object({ token: z.string().max(2_048), address: z.string().max(1_000) });
const ConfirmIn = z.object({ token: z.string().max(2_048), keys: z.array(z.string().max(100)).max(100) });

/** One part of an upload and what it is copied from: most messages need less. */
const MESSAGE_BYTES = 6_000_000;
const MEMORY = 36_000_000;
const bodies = new BodyBudget({ ...largeBodyLimits, total: MEMORY, unknownCallers: MEMORY });

/** Answers of the gateway's calls: `reply` is set when the command is refused. An error of the service is a 500. */
async function answer<Result extends object>(work: () => Promise<Result>) {
  try {
    return { reply: null, ...(await work()) };
  } catch (error) {
    const reply = toReply(error);
    if (reply === null) throw error;
    return { reply: reply.replace(/[^\x20-\x7e]+/g, "?") };
  }
}

/** The calls of the SMTP gateway for submitted mail. Its bearer token is the secret that it shares with the Worker. */
export const submissionRoutes = new Hono<AppEnv>()
  .post("/gateway/sessions", requireGateway, async (c) => {
    const login = await readFields(c, LoginIn);
    return c.json(await answer(async () => ({ token: await startSmtpSession(c.get("ctx"), login) })));
  })
  .post("/gateway/senders", requireGateway, async (c) => {
    const { token, address } = await readFields(c, SenderIn);
    const ctx = c.get("ctx");
    return c.json(
      await answer(async () => {
        await checkSender(ctx, await readSmtpSession(ctx, token), address);
        return {};
      }),
    );
  })
  .post("/gateway/confirmations", requireGateway, async (c) => {
    const { token, keys } = await readFields(c, ConfirmIn);
    const ctx = c.get("ctx");
    await confirmAnswers(ctx, await readSmtpSession(ctx, token), keys);
    return c.json({ reply: null });
  })
  .post("/gateway/submissions", requireGateway, async (c) => {
    const envelope = readEnvelope(c);
    if (!envelope) throw badRequest("X-Envelope is missing or malformed");
    const sequence = Number(c.req.header("X-Sequence") ?? 0);
    if (!Number.isInteger(sequence)) throw badRequest("X-Sequence is malformed");
    const token = c.req.header("X-Session") ?? "";
    const hold = bodies.open(UNKNOWN_CALLER);
    try {
      const stream = c.req.raw.body ?? new Blob([]).stream();
      const reserve = () => hold.growTo(MESSAGE_BYTES);
      const [result] = await acceptSubmissions(withWaitUntil(c), [{ token, envelope, sequence, stream, reserve }]);
      return c.json(await answer(async () => unwrap(result)));
    } finally {
      hold.release();
    }
  })
  .post("/gateway/submission-groups", requireGateway, async (c) => {
    const ctx = withWaitUntil(c);
    const group = await readGroup(c.req.raw.body ?? new Blob([]).stream());
    const hold = bodies.open(UNKNOWN_CALLER);
    try {
      const submissions = group.map(({ octets, ...item }) => ({
        ...item,
        stream: toStream(octets),
        reserve: () => hold.growTo(MESSAGE_BYTES),
      }));
      const results = await acceptSubmissions(ctx, submissions);
      const answers = results.map((result) =>
        answer(async () => unwrap(result)).catch((error: unknown) => {
          ctx.log("submission.failed", { error: String(error) });
          return { reply: "451 4.3.0 The message could not be stored; try again later" };
        }),
      );
      return c.json({ reply: null, answers: await Promise.all(answers) });
    } finally {
      hold.release();
    }
  });

/** Returns a context with which work after the answer, such as a wake-up, does not delay it. */
function withWaitUntil(c: Context<AppEnv>) {
  return { ...c.get("ctx"), waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work) };
}

function unwrap(result: Result<Accepted> | undefined): Accepted {
  if (result && "value" in result) return result.value;
  throw result?.error;
}

async function* toStream(octets: Uint8Array): AsyncGenerator<Uint8Array> {
  yield octets;
}
