import * as z from "zod";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { readEnvelope, readJsonHeader } from "../../http/gateway-headers.ts";
import { needs } from "../../http/needs.ts";
import { badRequest } from "../../lib/errors.ts";
import { readChunks } from "../../lib/read-chunks.ts";
import { Authentication } from "../../mail/authentication-results/stored-results.ts";
import { checkRecipient, type ReceiveResult } from "./receive.ts";
import { receiveFromGateway } from "./receive-from-gateway.ts";

const RecipientIn = z.object({ address: z.string().max(1_000) });
const AuthenticationIn = Authentication.extend({
  dmarc_policy: z.string().max(100).nullable(),
  arc: z.string().max(100).nullable().default(null),
});

/** The response to the gateway: a reply of SMTP that refuses, or null. */
const respond = (received: ReceiveResult) => ({ reply: received.accepted ? null : received.reply });

/** The calls of the mail gateway for mail from outside (MX). */
export const inboundRoutes = newRoutes()
  .post("/gateway/recipients", needs("gateway"), async (c) => {
    const { address } = await readFields(c, RecipientIn);
    return c.json(respond(await checkRecipient(c.get("ctx"), address)));
  })
  .post("/gateway/mail", needs("gateway"), async (c) => {
    const { from, to } = readEnvelope(c) ?? { from: "", to: [] };
    const [recipient, ...others] = to;
    if (recipient === undefined || others.length > 0) throw badRequest("X-Envelope must name one recipient");
    const authentication = AuthenticationIn.safeParse(readJsonHeader(c, "X-Authentication")).data ?? null;
    const stream = readChunks(c.req.raw.body ?? new Blob([]).stream());
    const isSpam = c.req.header("X-Spam") === "yes";
    const mail = { from, to: recipient, stream, traceBytes: readTraceBytes(c), authentication, isSpam };
    return c.json(respond(await receiveFromGateway(c.get("ctx"), mail)));
  });

function readTraceBytes(c: AppContext): number {
  const bytes = Number(c.req.header("X-Trace-Octets") ?? 0);
  if (!Number.isInteger(bytes) || bytes < 0) throw badRequest("X-Trace-Octets is malformed");
  return bytes;
}
