import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { check, earlyRecords } from "../emails/send/index.ts";
import { NO_TOPICS } from "../topics/index.ts";
import { ReplyError } from "./replies.ts";
import { submittedSource } from "./submitters.ts";

/**
 * Throws ReplyError unless the account may send and the envelope sender is an active mailbox of the credential's domain, or the mailbox
 * that logged in. A pause is temporary, so that the client keeps the message.
 */
export function requireSender(caller: CallerCtx, address: string): void {
  if (caller.actor.restricted) throw new ReplyError("550 5.7.1 This account is restricted and cannot send");
  if (caller.workspace.sendingPaused) throw new ReplyError("450 4.7.1 Sending is paused for this workspace");
  const parsed = parseAddress(address);
  if (!parsed) throw new ReplyError("553 5.1.7 The envelope sender must be the address of a mailbox");
  const from = { email: parsed.address, key: parsed.key, name: null };
  const envelope = { from, recipients: [], subject: "", tags: null, sendAt: null };
  const records = earlyRecords.get(caller) ?? { senders: new Map(), suppressed: new Map(), topics: NO_TOPICS };
  const checked = check(caller, { email: envelope, from, recipients: [], issues: [] }, records, {
    source: submittedSource(caller),
    isRetry: false,
    isSubmitted: true,
  });
  if ("issues" in checked) throw new ReplyError(`550 5.7.1 ${checked.issues[0]?.error ?? "The sender is refused"}`);
}
