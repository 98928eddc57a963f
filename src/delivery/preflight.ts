import type { Ctx } from "../context.ts";
import { type EmailUpdate, type Fact, recipientKey } from "../emails/index.ts";
import { MAX_CLAIMS, SPLIT_AT_CLAIM } from "../outbox/index.ts";
import type { Claim, ClaimedMail } from "./claim.ts";
import { checkSender, PAUSE_CHECK_MS } from "./rules.ts";

/** A mail that goes out, with the facts about recipients that are dropped on the way. */
export interface MailToSend {
  mail: ClaimedMail;
  earlyFacts: Fact[];
}

/** What dispatch decides about one mail before it is tried: send it, or what to write down instead. */
export type Decision = { send: MailToSend } | { update: Omit<EmailUpdate, "state"> };

/**
 * Looks at claimed mail once more: poison rule, sender, pause, suppressions (design: deliver). Nothing here
 * asks the database; the claim has read it all.
 */
export function preflight(ctx: Ctx, claim: Claim): { mail: ClaimedMail; decision: Decision }[] {
  const mailsOf = Map.groupBy(claim.mails, ({ outboxId }) => outboxId);
  return claim.mails.map((mail) => {
    const crowded = (mailsOf.get(mail.outboxId)?.length ?? 0) > 1;
    return { mail, decision: decide(ctx, mail, claim, crowded) };
  });
}

function decide(ctx: Ctx, mail: ClaimedMail, claim: Claim, crowded: boolean): Decision {
  const now = ctx.now();
  if (mail.claims >= SPLIT_AT_CLAIM && crowded) return { update: reschedule(now) };
  if (mail.claims > MAX_CLAIMS)
    return { update: failRemaining(ctx, mail, `given up: ${MAX_CLAIMS} runs were cut off while they held this mail`) };
  const verdict = checkSender(mail.sender);
  if (verdict.kind === "hold") return { update: reschedule(now + PAUSE_CHECK_MS) };
  if (verdict.kind === "fail") return { update: failRemaining(ctx, mail, verdict.reason) };
  const isSuppressed = (key: string) => claim.suppressed.has(`${mail.state.workspace} ${key}`);
  const early = queuedRecipientKeys(mail)
    .filter(isSuppressed)
    .map((recipient): Fact => ({ id: ctx.newId(), recipient, on: "suppressed", at: now }));
  if (early.length === queuedRecipientKeys(mail).length) return { update: { facts: early, attempt: 0 } };
  return { send: { mail, earlyFacts: early } };
}

/** Nothing happened; the mail gets a row of its own at `dueAt`. */
const reschedule = (dueAt: number): Omit<EmailUpdate, "state"> => ({
  facts: [],
  attempt: 0,
  next: { dueAt, outboxId: null },
});

/** Every recipient that still waits is given up for this reason. */
export function failRemaining(ctx: Ctx, mail: ClaimedMail, reason: string): Omit<EmailUpdate, "state"> {
  const at = ctx.now();
  const facts = queuedRecipientKeys(mail).map(
    (recipient): Fact => ({ id: ctx.newId(), recipient, on: "gave-up", at, metadata: { reason } }),
  );
  return { facts, attempt: 0 };
}

function queuedRecipientKeys(mail: ClaimedMail): string[] {
  return mail.state.recipients.filter(({ state }) => state === "queued").map(recipientKey);
}
