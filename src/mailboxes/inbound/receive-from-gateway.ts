import { concat } from "../../lib/bytes.ts";
import { skipBytes } from "../../lib/read-chunks.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import type { Ctx } from "../../platform/context.ts";
import { isReportRecipient, type ReceiveResult, receiveMail } from "./receive.ts";

/** A message from the MX gateway for one recipient. */
export interface GatewayMail {
  from: string;
  to: string;
  /** The trace fields that the gateway wrote, then the message as it arrived. */
  stream: AsyncIterable<Uint8Array>;
  traceBytes: number;
  authentication: CheckedAuthentication | null;
  /** True when the spam filter of the gateway marks it. */
  isSpam: boolean;
}

/**
 * Receives a message from the MX gateway, as the Email Worker does. A report is read without the trace fields, which differ when it comes
 * again. Throws when the result could not be stored or the message was cut off; the sending server then tries again.
 */
export async function receiveFromGateway(ctx: Ctx, mail: GatewayMail): Promise<ReceiveResult> {
  const { from, to, stream, traceBytes, authentication, isSpam } = mail;
  const raw = skipBytes(withoutEnd(stream), (await isReportRecipient(ctx, to)) ? traceBytes : 0);
  return receiveMail(ctx, { from, to, raw, size: null, authentication, isSpam });
}

/** The bytes that the gateway sends after the last byte. An upload that was cut off does not have it. */
const END = "\0end";

/** Yields a message without the mark at its end. Throws when that is missing: the message was cut off, and the sending server must try again. */
async function* withoutEnd(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array(0);
  for await (const chunk of stream) {
    if (chunk.length < END.length) {
      const bytes = concat([held, chunk]);
      const to = Math.max(0, bytes.length - END.length);
      if (to > 0) yield bytes.subarray(0, to);
      held = bytes.slice(to);
    } else {
      if (held.length > 0) yield held;
      held = chunk.slice(-END.length);
      yield chunk.subarray(0, -END.length);
    }
  }
  if (new TextDecoder().decode(held) !== END) throw new Error("the message from the gateway was cut off");
}
