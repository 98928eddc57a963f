import type { AcceptOut, BatchOut, DetailOut } from "../../sending/emails/index.ts";
import { fromTag, lastEventOf } from "./rules.ts";

/** Translates the response of a send. */
export const toSent = ({ id }: AcceptOut) => ({ id });

/** Translates the result of a batch. `data` has the accepted emails; `errors` the items that were refused, by their index. */
export function toBatch({ results }: BatchOut) {
  const errors = results.flatMap(({ id, rejection_reason }, index) =>
    id === null ? [{ index, message: rejection_reason ?? "Refused" }] : [],
  );
  const data = results.flatMap(({ id }) => (id === null ? [] : [{ id }]));
  return errors.length > 0 ? { data, errors } : { data };
}

/** Translates an email with its content. The service does not return Reply-To, so it is null. */
export function toResendEmail(email: DetailOut) {
  const types = email.events.map(({ event_type }) => event_type);
  return {
    object: "email",
    id: email.id,
    message_id: email.message_id,
    from: email.from_address,
    to: email.to_addresses,
    cc: email.cc_addresses,
    bcc: email.bcc_addresses,
    reply_to: null,
    subject: email.subject,
    html: email.html_body,
    text: email.text_body,
    tags: (email.tags ?? []).map(fromTag),
    created_at: email.created_at,
    scheduled_at: email.scheduled_at,
    last_event: lastEventOf(email.status, { opened: email.opened_count, clicked: email.clicked_count }, types),
  };
}

/** Translates the response of a change of a scheduled email. */
export const toChanged = ({ id }: { id: string }) => ({ object: "email", id });
