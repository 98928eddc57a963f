import * as z from "zod";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { readJsonHeader } from "../../http/gateway-headers.ts";
import { needs } from "../../http/needs.ts";
import { badRequest } from "../../lib/errors.ts";
import { readChunks } from "../../lib/read-chunks.ts";
import { connectGateway } from "../inbox/events/index.ts";
import { appendMessage } from "./append.ts";
import { runCall } from "./call.ts";
import { openContent } from "./content.ts";
import { ImapError } from "./errors.ts";
import { CallIn, FlagsIn } from "./schema.ts";
import { findEndedSessions, readImapSession, renewImapSession, startImapSession } from "./sessions.ts";

const Token = z.string().max(2_048);
const LoginIn = z.object({ username: z.string().max(400), password: z.string().max(1_000), ip: z.string().max(100) });
const TokenIn = z.object({ token: Token });
const TokensIn = z.object({ tokens: z.array(Token).max(200) });
const CallBody = z.object({ token: Token, call: CallIn });
const Place = z.int().min(0).max(1_000_000_000);
const ContentIn = z.object({ token: Token, object: z.string().max(200), from: Place, length: Place.min(1) });
const AppendIn = z.object({
  folder: z.string().min(1).max(1_000),
  flags: FlagsIn,
  date: z.int().nullable(),
  size: Place,
});

/** Bytes of the JSON of a call: 20,000 ranges of UIDs, or 200 tokens. */
const CALL_BYTES = 500_000;

/** Responds with the result, or with the error that the client of the gateway is told. An error of the service is a 500. */
async function respond(c: AppContext, work: () => Promise<object>) {
  try {
    return c.json({ error: null, ...(await work()) });
  } catch (error) {
    return c.json(toRefusal(error));
  }
}

function toRefusal(error: unknown) {
  if (!(error instanceof ImapError)) throw error;
  return { error: { code: error.code, text: error.message } };
}

/** The calls of the gateway for mail programs (IMAP). */
export const imapRoutes = newRoutes()
  .post("/gateway/imap/sessions", needs("gateway"), async (c) => {
    const login = await readFields(c, LoginIn);
    return respond(c, () => startImapSession(c.get("ctx"), login));
  })
  .post("/gateway/imap/renewals", needs("gateway"), async (c) => {
    const { token } = await readFields(c, TokenIn);
    return respond(c, () => renewImapSession(c.get("ctx"), token));
  })
  .post("/gateway/imap/checks", needs("gateway"), async (c) => {
    const { tokens } = await readFields(c, TokensIn, CALL_BYTES);
    return respond(c, async () => ({ ended: await findEndedSessions(c.get("ctx"), tokens) }));
  })
  .post("/gateway/imap/calls", needs("gateway"), async (c) => {
    const ctx = c.get("ctx");
    const { token, call } = await readFields(c, CallBody, CALL_BYTES);
    return respond(c, async () => runCall(ctx, await readImapSession(ctx, token), call));
  })
  .post("/gateway/imap/contents", needs("gateway"), async (c) => {
    const ctx = c.get("ctx");
    const { token, ...place } = await readFields(c, ContentIn);
    try {
      return c.body(await openContent(ctx, await readImapSession(ctx, token), place), 200, {
        "Content-Type": "application/octet-stream",
      });
    } catch (error) {
      return c.json(toRefusal(error), 410);
    }
  })
  .post("/gateway/imap/messages", needs("gateway"), async (c) => {
    const ctx = c.get("ctx");
    const message = AppendIn.safeParse(readJsonHeader(c, "X-Message")).data;
    if (!message) throw badRequest("X-Message is malformed");
    const chunks = readChunks(c.req.raw.body ?? new Blob([]).stream());
    return respond(c, async () => {
      const session = await readImapSession(ctx, c.req.header("X-Session") ?? "");
      return appendMessage(ctx, session, { ...message, chunks });
    });
  })
  .get("/gateway/imap/changes", needs("gateway"), async (c) => {
    const ctx = c.get("ctx");
    const { mailboxId } = await readImapSession(ctx, c.req.header("X-Session") ?? "").catch(() => {
      throw badRequest("X-Session is no session");
    });
    return connectGateway(ctx, mailboxId);
  });
