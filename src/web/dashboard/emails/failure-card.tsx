import type { CallerCtx } from "../../../access/caller.ts";
import { Code, Icon, PostButton, Time, useCaller } from "../../../http/ui/index.ts";
import type { DetailOut, EventOut } from "../../../sending/emails/index.ts";
import type { SuppressionOut } from "../../../sending/suppressions/index.ts";
import { explainFailure } from "./explain-failure.ts";

/** Recipients that a page explains one by one; the table of recipients has all. */
const MAX_CARDS = 5;

interface FailureCardsProps {
  email: DetailOut;
  suppressions: readonly SuppressionOut[];
  isRetriable: boolean;
}

/** Why an email did not arrive: for each recipient the cause, its meaning, and what can be done. */
export function FailureCards({ email, suppressions, isRetriable }: FailureCardsProps) {
  const caller = useCaller();
  const failures = lastFailures(email.events);
  return (
    <>
      {failures.slice(0, MAX_CARDS).map((event) => (
        <FailureCard
          event={event}
          suppression={suppressions.find(({ email: address }) => isSame(address, event.metadata?.recipient))}
          retry={isRetriable && mayRetry(caller) ? `/app/emails/${email.id}/remove-and-retry` : null}
        />
      ))}
    </>
  );
}

const mayRetry = ({ actor }: CallerCtx) => actor.scopes.has("emails:send") && actor.scopes.has("contacts:manage");

/** Returns the last failure of each recipient that has not been reached since, and that of the whole email only without these. Pure. */
export function lastFailures(events: readonly EventOut[]): EventOut[] {
  const last = new Map<unknown, EventOut>();
  for (const event of events) {
    if (event.event_type === "delivered") last.delete(event.metadata?.recipient);
    else if (explainFailure(event)) last.set(event.metadata?.recipient, event);
  }
  if (last.size > 1) last.delete(undefined);
  return [...last.values()];
}

interface FailureCardProps {
  event: EventOut;
  suppression: SuppressionOut | undefined;
  /** Path that removes the suppression and retries; null: not offered. */
  retry: string | null;
}

function FailureCard({ event, suppression, retry }: FailureCardProps) {
  const { metadata } = event;
  const explanation = explainFailure(event);
  const reply = metadata?.response ?? metadata?.diagnostic;
  return (
    <section class="card failure" aria-label={`Failure: ${metadata?.recipient ?? "email"}`}>
      <h2>
        <Icon name="alert" /> {explanation?.title}
      </h2>
      {metadata?.recipient === undefined ? null : <p>{String(metadata.recipient)}</p>}
      <p class="soft">{explanation?.meaning}</p>
      {suppression === undefined ? null : (
        <p>
          <a href={`/app/suppressions?${new URLSearchParams({ address: suppression.email })}`}>
            Suppressed since <Time at={suppression.created_at} as="whole" />
          </a>
        </p>
      )}
      {suppression === undefined || retry === null ? null : (
        <PostButton to={retry} label="Remove and retry" kind="quiet" once fields={{ address: suppression.email }} />
      )}
      {reply === undefined ? null : (
        <details>
          <summary>Reply of the mail server</summary>
          <Code label={`Reply about ${metadata?.recipient ?? "the email"}`} text={String(reply)} />
        </details>
      )}
    </section>
  );
}

const isSame = (address: string, recipient: unknown) =>
  typeof recipient === "string" && address.toLowerCase() === recipient.toLowerCase();
