import type { EventEntry, RecipientEntry } from "../../../platform/db/email-json.ts";
import { isPending } from "../rules.ts";
import { type EmailState, ERASED, recipientKey, toStoredEvents } from "../timeline/index.ts";
import type { Scrubber } from "./scrub.ts";

/** The columns of an email that name a person. */
export interface ErasableEmail {
  state: EmailState;
  subject: string;
  rejectionReason: string | null;
  variables: string | null;
  /** JSON. */
  tags: string | null;
}

/** The columns after the erasure of one recipient; JSON as the row has it. */
export interface ErasedEmail extends Omit<ErasableEmail, "state"> {
  status: string;
  recipients: string;
  events: string;
  /** The person was the only recipient. */
  isAlone: boolean;
  /** A scheduled email that has no recipient left. */
  isUnscheduled: boolean;
}

/** Returns an email without one recipient, by the canonical address. Its other recipients and the times of events stay. Pure. */
export function eraseRecipient(email: ErasableEmail, key: string, scrubber: Scrubber): ErasedEmail {
  const { state } = email;
  const isPerson = (entry: RecipientEntry) => recipientKey(entry) === key;
  const isAlone = state.recipients.every((entry) => isPerson(entry) || entry.email === ERASED);
  const addresses = new Set<unknown>(state.recipients.filter(isPerson).map((entry) => entry.email));
  const recipients = state.recipients.map(
    (entry): RecipientEntry =>
      isPerson(entry)
        ? { kind: entry.kind, email: ERASED, state: isPending(entry.state) ? "cancelled" : entry.state }
        : entry,
  );
  const isAbout = ({ metadata }: EventEntry) => isAlone || addresses.has(metadata?.recipient);
  const events = state.events.map((event): EventEntry => {
    const { id, type, at } = event;
    if (!isAbout(event)) return scrubEvent(event, scrubber);
    return event.metadata === undefined ? event : { id, type, at, metadata: { recipient: ERASED } };
  });
  const isUnscheduled = state.status === "scheduled" && recipients.every((entry) => entry.state !== "queued");
  const after = { ...state, status: isUnscheduled ? ("cancelled" as const) : state.status, recipients, events };
  return {
    status: after.status,
    recipients: JSON.stringify(recipients),
    events: JSON.stringify(toStoredEvents(after)),
    subject: isAlone ? ERASED : scrubber.replace(email.subject),
    rejectionReason: email.rejectionReason && scrubber.replace(email.rejectionReason),
    variables: isAlone ? null : email.variables && scrubber.replace(email.variables),
    tags: email.tags && scrubber.replace(email.tags),
    isAlone,
    isUnscheduled,
  };
}

function scrubEvent(event: EventEntry, scrubber: Scrubber): EventEntry {
  if (event.metadata === undefined) return event;
  return {
    ...event,
    metadata: JSON.parse(scrubber.replace(JSON.stringify(event.metadata))) as Record<string, unknown>,
  };
}
