import type { EventEntry } from "../../../platform/db/email-json.ts";
import type { RecipientEvent } from "../../../platform/person-events/email-events.ts";
import type { EmailEvent } from "../../../platform/person-events/rules.ts";
import { type EmailState, ERASED, recipientKey } from "./state.ts";

/**
 * Returns the events of persons (docs/contract/events.md#emails) that a change of an email adds: deliveries, hard bounces, and the first
 * open and click of each recipient by a person. Pure.
 */
export function toRecipientEvents(
  before: EmailState,
  state: EmailState,
  added: readonly EventEntry[],
): RecipientEvent[] {
  const { workspace, id: emailId, broadcast = null } = state;
  return added.flatMap((event): RecipientEvent[] => {
    const name = nameOf(event);
    const recipient = recipientOf(state, event);
    const entry = state.recipients[recipient];
    if (name === null || entry === undefined || entry.email === ERASED) return [];
    const isRepeated = before.events.some(
      (earlier) => nameOf(earlier) === name && recipientOf(before, earlier) === recipient,
    );
    if (isRepeated) return [];
    const { url } = event.metadata ?? {};
    const target = name === "email.clicked" && typeof url === "string" ? { url } : {};
    return [{ workspace, emailId, broadcast, name, recipient, emailKey: recipientKey(entry), at: event.at, ...target }];
  });
}

/** Returns the name of the event of persons for an event of an email, or null. A hit by a machine is none. */
function nameOf({ type, metadata = {} }: EventEntry): EmailEvent | null {
  if (type === "delivered") return "email.delivered";
  if (type === "bounced") return metadata.bounce_type === "soft" ? null : "email.bounced";
  if (metadata.machine === true) return null;
  if (type === "open") return "email.opened";
  return type === "click" ? "email.clicked" : null;
}

/** Returns the position of the recipient of an event; -1 when several got the same message and it does not tell which. */
function recipientOf({ recipients }: EmailState, { metadata = {} }: EventEntry): number {
  if (metadata.recipient === undefined) return recipients.length === 1 ? 0 : -1;
  return recipients.findIndex(({ email }) => email === metadata.recipient);
}
