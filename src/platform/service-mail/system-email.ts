import type { Ctx } from "../context.ts";
import type { CountedMail } from "./count-for-reader.ts";
import type { Cause, StrangersCause } from "./rules.ts";

/** An email of the service itself, such as a sign-in link. It is composed as text and as HTML from the same parts.
 * One that a stranger causes does not compile before it was counted by its reader. */
export type SystemEmail = SystemEmailText &
  ({ cause: Exclude<Cause, StrangersCause> } | { cause: StrangersCause; counted: CountedMail });

interface SystemEmailText {
  to: string;
  subject: string;
  parts: readonly SystemEmailPart[];
  /** It waits in the queue like any other email: the recipient does not look for it now. */
  isQueued?: true;
}

/** A paragraph, or the one step that the email asks for. */
export type SystemEmailPart = string | SystemEmailStep;

export interface SystemEmailStep {
  /** A sentence before the link in plain text, such as `To accept, open this link within 7 days:`. */
  ask: string;
  /** Text of the button in HTML. */
  label: string;
  url: string;
}

/**
 * Sends an email of the service itself. With a `key`, calls of the next 24 hours with the same key send nothing. Returns
 * false when the service has no mailbox for its own emails. It is a parameter of its callers in the areas before `sending`,
 * because a sign-in link must not wait for a queue, in which an outbox row would be processed after all others.
 */
export type SendSystemEmail = (ctx: Ctx, email: SystemEmail, key?: string | null) => Promise<boolean>;

/** Sends an email about what is done already. Never throws: a failure is logged. */
export async function sendNotice(ctx: Ctx, email: SystemEmail, sendEmail: SendSystemEmail): Promise<void> {
  try {
    await sendEmail(ctx, email);
  } catch (error) {
    ctx.log("notice-email.failed", { error: String(error) });
  }
}
