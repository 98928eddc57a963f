import * as z from "zod";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { readJsonHeader } from "../../http/gateway-headers.ts";
import { needs } from "../../http/needs.ts";
import { badRequest } from "../../lib/errors.ts";
import { readChunks } from "../../lib/read-chunks.ts";
import { ImapError } from "../../mail/imap/cursor.ts";
import { connectGateway } from "../inbox/events/index.ts";
import { AccessIn, findEnded, LoginIn, logIn, openForCall } from "./access.ts";
import { AppendIn, appendMessage } from "./append.ts";
import { CallIn, runCall } from "./call.ts";
import { openContent } from "./content.ts";
import { Place } from "./schema.ts";

/** Null: a gateway of an earlier version sent a token. Its client is told to log in again. */
const CallAccess = AccessIn.nullable().catch(null);
const AccessesIn = z.object({ accesses: z.array(AccessIn).max(2_000) });
const CallBody = z.object({ access: CallAccess, call: CallIn });
const ContentIn = z.object({ access: CallAccess, object: z.string().max(200), from: Place, length: Place.min(1) });

/** Bytes of the JSON of a call: 20,000 ranges of UIDs, or 2,000 accesses. */
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
    return respond(c, () => logIn(c.get("ctx"), login));
  })
  .post("/gateway/accesses", needs("gateway"), async (c) => {
    const { accesses } = await readFields(c, AccessesIn, CALL_BYTES);
    return c.json({ reply: null, ended: await findEnded(c.get("ctx"), accesses) });
  })
  .post("/gateway/imap/calls", needs("gateway"), async (c) => {
    const ctx = c.get("ctx");
    const { access, call } = await readFields(c, CallBody, CALL_BYTES);
    return respond(c, async () => runCall(ctx, await openForCall(ctx, access), call));
  })
  .post("/gateway/imap/contents", needs("gateway"), async (c) => {
    const ctx = c.get("ctx");
    const { access, ...place } = await readFields(c, ContentIn);
    try {
      return c.body(await openContent(ctx, await openForCall(ctx, access), place), 200, {
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
    const mailbox = () => openForCall(ctx, readAccess(c));
    return respond(c, async () => appendMessage(ctx, await mailbox(), { ...message, chunks }));
  })
  .get("/gateway/imap/changes", needs("gateway"), async (c) => {
    const access = readAccess(c);
    const [ended] = access ? await findEnded(c.get("ctx"), [access]) : [0];
    if (!access || ended !== undefined) throw badRequest("X-Access is no access that is open");
    return connectGateway(c.get("ctx"), access.id);
  });

const readAccess = (c: AppContext) => CallAccess.parse(readJsonHeader(c, "X-Access"));
