import type { Ctx } from "../context.ts";
import { type ReturnedMail, receiveFeedback } from "../feedback/index.ts";
import { unsubscribe } from "../unsubscribes/index.ts";

/** The result of a message: accepted, or rejected permanently with a reply (RFC 5321 4.2, RFC 3463). */
export type ReceiveResult = { accepted: true; kind: string } | { accepted: false; reply: string };

/**
 * Receives a message that arrived by SMTP. Throws when the result could not be stored; the sending server then tries
 * again.
 */
export async function receiveMail(ctx: Ctx, mail: ReturnedMail): Promise<ReceiveResult> {
  if (await unsubscribe(ctx, mail.to, "mailto")) return { accepted: true, kind: "unsubscribe" };
  const kind = await receiveFeedback(ctx, mail);
  if (kind === "unknown") return { accepted: false, reply: "550 5.1.1 No such recipient" };
  ctx.log("inbound.feedback", { kind });
  return { accepted: true, kind };
}
