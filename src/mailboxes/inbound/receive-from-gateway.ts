import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import type { Ctx } from "../../platform/context.ts";
import { gatewayMessage } from "./gateway-stream.ts";
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
 * Receives a message from the MX gateway, as the Email Worker does with its own. A report is read without the trace
 * fields, which differ when the same report comes again. Throws when the result could not be stored or the message was cut
 * off; the sending server then tries again.
 */
export async function receiveFromGateway(ctx: Ctx, mail: GatewayMail): Promise<ReceiveResult> {
  const { from, to, stream, traceBytes, authentication, isSpam } = mail;
  const raw = gatewayMessage(stream, (await isReportRecipient(ctx, to)) ? traceBytes : 0);
  return receiveMail(ctx, { from, to, raw, size: null, authentication, isSpam });
}
