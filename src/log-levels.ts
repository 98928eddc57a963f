export type LogLevel = "debug" | "info" | "warn" | "error";

/** What each event of the log means, and its level. docs/monitoring.md lists them; a test compares both with the source. */
export const logEvents: Readonly<Record<string, { level: LogLevel; meaning: string }>> = {
  "api-key.touch.failed": { level: "warn", meaning: "The time of last use of an API key was not written." },
  "batch.retried": { level: "info", meaning: "D1 gave an ambiguous error; the same batch is written again." },
  "delivery.compose.failed": { level: "error", meaning: "An email could not be composed; it fails." },
  "delivery.content.not_moved": { level: "warn", meaning: "Content stayed in its row; cron moves it later." },
  "delivery.flush.failed": {
    level: "error",
    meaning: "Outcomes were not written; the lease ends, and the rows are claimed again.",
  },
  "delivery.write.retried": { level: "warn", meaning: "A write of outcomes failed and is repeated." },
  "domain.recheck.failed": { level: "warn", meaning: "The daily check of a domain failed; it is repeated." },
  "egress.unavailable": {
    level: "error",
    meaning: "EGRESS_URL is missing or malformed, or a setting is a placeholder; mail waits.",
  },
  "egress.unreachable": { level: "warn", meaning: "The egress did not answer or refused the connection; mail waits." },
  "hit.lost": { level: "warn", meaning: "The queue refused an open or a click." },
  "hits.failed": { level: "warn", meaning: "Opens and clicks were not written; the queue repeats them." },
  "import.not-stored": { level: "warn", meaning: "A message of an archive was not imported." },
  "inbound.feedback": { level: "info", meaning: "A bounce or complaint arrived." },
  "inbound.forward-report": { level: "info", meaning: "A report about forwarded mail arrived." },
  "inbound.mailbox": { level: "info", meaning: "Mail for a mailbox arrived." },
  "jobs.not_finished": { level: "warn", meaning: "A job of cron used up an invocation; its next run continues." },
  "link.check_failed": { level: "warn", meaning: "A tracked link could not be checked; it redirects." },
  "mailbox.failed": { level: "error", meaning: "The object of a mailbox failed." },
  "mailbox.object-failed": { level: "error", meaning: "The stored message of a mailbox could not be read." },
  "mailbox.objects-not-deleted": {
    level: "warn",
    meaning: "Stored messages of a mailbox could not be deleted; they are deleted later.",
  },
  "mailbox.size-not-saved": { level: "warn", meaning: "The size of a mailbox was not written to the main database." },
  "mailbox.sockets-not-checked": {
    level: "warn",
    meaning: "Rights of open WebSockets of a mailbox could not be checked; they are checked again.",
  },
  "notification.email.refused": { level: "warn", meaning: "A notice could not be sent by email." },
  "notification.failed": { level: "warn", meaning: "A notice was not delivered; it is repeated." },
  "notification.given-up": { level: "error", meaning: "A notice failed too often and is dropped." },
  "oauth.code.reused": { level: "warn", meaning: "An authorization code was used twice; its grant ends." },
  "outbox.released": { level: "info", meaning: "Emails that waited for the egress are due again." },
  "provider.failed": { level: "warn", meaning: "Google or GitHub did not answer a sign-in." },
  "public-url.insecure": { level: "warn", meaning: "WEBHOOK_ALLOW_INSECURE is on, and a URL without TLS was used." },
  "queue.batch": { level: "info", meaning: "Figures of one batch of a queue." },
  "queue.dead_letters": { level: "error", meaning: "Queue messages failed every retry and were recorded." },
  "rate-limit.failed": { level: "warn", meaning: "The rate-limit binding failed; the request was allowed." },
  "refresh-token.reused": { level: "warn", meaning: "A refresh token was used twice; its sessions end." },
  "request.failed": { level: "error", meaning: "A request was answered 500; `stack` says where." },
  "retention.objects_without_mailbox": {
    level: "info",
    meaning: "R2 objects of mailboxes that no longer exist were deleted.",
  },
  "retention.objects_without_message": {
    level: "info",
    meaning: "R2 objects that no message of a mailbox names were deleted.",
  },
  "retention.objects_without_rows": { level: "info", meaning: "R2 objects without rows were deleted." },
  "settings.invalid": { level: "error", meaning: "Settings are malformed, missing or placeholders; mail waits." },
  "shard.failed": { level: "error", meaning: "A job failed on one database." },
  "shards.job.failed": { level: "error", meaning: "A job of cron failed." },
  "shards.job.refused": { level: "warn", meaning: "The queue refused the message of a job; cron does it itself." },
  "sign-in-link.failed": { level: "error", meaning: "A sign-in link could not be sent." },
  "slack.answer": { level: "warn", meaning: "Slack refused a notice." },
  "slack.unreachable": { level: "warn", meaning: "Slack did not answer." },
  "submission.failed": { level: "error", meaning: "Mail of the SMTP gateway was not stored; the client tries again." },
  "system-email.no-mailbox": {
    level: "error",
    meaning: "SYSTEM_MAILBOX is not a mailbox; emails of the service are not sent.",
  },
  "tracking.unreadable": { level: "warn", meaning: "The HTML of an email could not be read; it leaves untracked." },
  "transfer.task.failed": { level: "error", meaning: "A step of a domain transfer failed; it is repeated." },
  "wake.failed": { level: "warn", meaning: "The queue refused wake-ups; cron delivers within two minutes." },
  "webhooks.copy.failed": {
    level: "warn",
    meaning: "The copy of a webhook in a mail database was not changed; it is repeated.",
  },
  "webhooks.failed": { level: "error", meaning: "Webhook deliveries of one database were not made; they stay due." },
  "webhooks.wake.failed": {
    level: "warn",
    meaning: "The queue refused a wake-up of webhook deliveries; cron starts them.",
  },
  "webhooks.write.retried": {
    level: "warn",
    meaning: "Results of webhook deliveries were not written and are written again.",
  },
  "work.failed": {
    level: "error",
    meaning: "Outbox rows of one database were not processed; they stay in the outbox.",
  },
  "workspace.close.failed": {
    level: "error",
    meaning: "A deleted workspace was not closed in a mail database; it is repeated.",
  },
};

/** Returns the level of an event. One that is not listed is a warning, so that it is seen. */
export function levelOf(event: string): LogLevel {
  return logEvents[event]?.level ?? "warn";
}
