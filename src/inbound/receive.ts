import type { Ctx } from "../context.ts";
import { type ReturnedMail, receiveFeedback } from "../feedback/index.ts";
import { unsubscribe } from "../unsubscribes/index.ts";

/** What became of a message: taken in, or refused for good with a reply (RFC 5321 4.2, RFC 3463). */
export type Reception = { taken: true; as: string } | { taken: false; reply: string };

/**
 * Takes in a message that came by SMTP, whichever door it came through: the Email Worker today. Throws when it could
 * not be written down; the sender then tries again.
 */
export async function receiveMail(ctx: Ctx, mail: ReturnedMail): Promise<Reception> {
  if (await unsubscribe(ctx, mail.to, "mailto")) return { taken: true, as: "unsubscribe" };
  const kind = await receiveFeedback(ctx, mail);
  if (kind === "unknown") return { taken: false, reply: "550 5.1.1 No such recipient" };
  ctx.log("inbound.feedback", { kind });
  return { taken: true, as: kind };
}
