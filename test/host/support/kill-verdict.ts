/** Compares the requests of a kill run with the emails in the API and the messages at the sink. */
import type { Receipt } from "./counting-sink.ts";
import type { Event, Listed, SendAttempt } from "./sending-client.ts";

export interface Evidence {
  attempts: readonly SendAttempt[];
  listed: readonly Listed[];
  receipts: readonly Receipt[];
  eventsOf(id: string): Promise<Event[]>;
  /** A host may send a message twice, because the outcome of the first time could not be written. */
  mayRepeatOutcomes?: boolean;
}

export interface Verdict {
  /** Requests that got 202. */
  accepted: number;
  /** Requests without an Idempotency-Key whose response was lost, and the number of them that the service accepted. */
  uncertain: number;
  uncertainAccepted: number;
  /** Requests with an Idempotency-Key that were repeated because a response was lost. */
  repeated: number;
  delivered: number;
  /** Violations, one sentence each. All lists are empty in a correct run. */
  issues: {
    lost: string[];
    unexpected: string[];
    duplicated: string[];
    undelivered: string[];
    unreported: string[];
    unexplained: string[];
  };
  /** Number of second and later arrivals of a message for the same recipients. */
  duplicates: number;
  /** Duplicates after a message that the sink did not reply to. */
  ofDropped: number;
  /** Largest number of emails of one workspace, each in a mail database of its own, that the kill of one host duplicated. */
  worstKill: number;
  /** The same number for each host that was killed, in order; 0 for one without duplicates. */
  duplicatesOfKills: number[];
}

/** Returns the issues of a correct run. */
export const noIssues = (): Verdict["issues"] => ({
  lost: [],
  unexpected: [],
  duplicated: [],
  undelivered: [],
  unreported: [],
  unexplained: [],
});

/** Compares requests, emails and received messages. */
export async function compareResults(evidence: Evidence): Promise<Verdict> {
  const { attempts, listed, receipts } = evidence;
  const emailsBySubject = Map.groupBy(listed, ({ subject }) => subject);
  // Up to ten recipients of an email have a transaction each.
  const arrivals = Map.groupBy(receipts, ({ messageId, recipients }) => `${messageId} ${recipients.join()}`);
  const issues = noIssues();
  const receiptsOf = Map.groupBy(receipts, ({ messageId }) => messageId.slice(1, messageId.indexOf("@")));
  const knownMessageIds = new Set<string>();
  const uncertain = attempts.filter(({ ids }) => ids.size === 0);

  for (const mail of attempts) {
    const emails = emailsBySubject.get(mail.subject) ?? [];
    for (const id of mail.ids)
      if (!emails.some((email) => email.id === id)) issues.lost.push(`${mail.subject}: ${id} is not in the list`);
    if (emails.length > 1) issues.duplicated.push(`${mail.subject}: ${emails.length} emails`);
    for (const { id, status } of emails) {
      if (status !== "delivered") issues.undelivered.push(`${mail.subject}: ${id} is ${status}`);
      const arrived = receiptsOf.get(id) ?? [];
      for (const receipt of arrived) knownMessageIds.add(receipt.messageId);
      const reachedRecipients = new Set(arrived.flatMap(({ recipients }) => recipients));
      const missingRecipients = mail.recipients.filter((recipient) => !reachedRecipients.has(recipient));
      if (missingRecipients.length > 0)
        issues.lost.push(`${mail.subject}: no message arrived for ${missingRecipients.join(", ")}`);
      const unexpected = [...reachedRecipients].filter((recipient) => !mail.recipients.includes(recipient));
      if (unexpected.length > 0)
        issues.unexpected.push(`${mail.subject}: a message arrived for ${unexpected.join(", ")}`);
    }
  }
  const subjects = new Set(attempts.map(({ subject }) => subject));
  for (const { subject, id } of listed)
    if (!subjects.has(subject)) issues.unexpected.push(`${id}: no request has this subject`);
  for (const { messageId, subject } of receipts) {
    if (!knownMessageIds.has(messageId))
      issues.unexpected.push(`${subject}: the sink has ${messageId}, the service does not`);
  }
  const duplicates = await checkDuplicates(evidence, arrivals.values(), issues);
  return {
    accepted: attempts.length - uncertain.length,
    uncertain: uncertain.length,
    uncertainAccepted: uncertain.filter(({ subject }) => emailsBySubject.has(subject)).length,
    repeated: attempts.filter(({ key, responseLost }) => key !== null && responseLost).length,
    delivered: listed.filter(({ status }) => status === "delivered").length,
    issues,
    ...duplicates,
  };
}

/** Checks that each duplicate is reported in the events of its email and follows a kill or a missing reply. */
async function checkDuplicates(
  { eventsOf, mayRepeatOutcomes = false }: Evidence,
  arrivals: Iterable<readonly Receipt[]>,
  issues: Verdict["issues"],
): Promise<Pick<Verdict, "duplicates" | "ofDropped" | "worstKill" | "duplicatesOfKills">> {
  const duplicatesByKill = new Map<string, Set<string>>();
  const duplicatesOfKills: number[] = [];
  let [duplicates, ofDropped] = [0, 0];
  for (const arrived of arrivals) {
    const messageId = arrived[0]?.messageId ?? "";
    for (const [at, again] of arrived.entries()) {
      const before = arrived[at - 1];
      if (!before) continue;
      duplicates += 1;
      if (before.dropped) ofDropped += 1;
      else if (before.epoch < again.epoch) {
        const kill = `${before.epoch} ${messageId.slice(messageId.indexOf("@"))}`;
        duplicatesByKill.set(kill, (duplicatesByKill.get(kill) ?? new Set()).add(messageId));
      } else if (!mayRepeatOutcomes) {
        issues.unexplained.push(`${messageId} arrived twice from host ${again.epoch}, with a reply both times`);
      }
    }
    if (arrived.length < 2) continue;
    const events = await eventsOf(messageId.slice(1, messageId.indexOf("@")));
    const repeatedRecipients = arrived
      .flatMap(({ recipients }) => recipients)
      .filter((recipient, at, all) => all.indexOf(recipient) < at);
    for (const recipient of new Set(repeatedRecipients)) {
      const isReported = events.some(
        ({ metadata }) =>
          metadata?.recipient === recipient && (metadata.possible_duplicate === true || metadata.ambiguous === true),
      );
      if (!isReported) issues.unreported.push(`${messageId} arrived twice for ${recipient}: ${JSON.stringify(events)}`);
    }
  }
  for (const [kill, emails] of duplicatesByKill) {
    const epoch = Number.parseInt(kill, 10);
    while (duplicatesOfKills.length <= epoch) duplicatesOfKills.push(0);
    duplicatesOfKills[epoch] = Math.max(duplicatesOfKills[epoch] ?? 0, emails.size);
  }
  const worstKill = Math.max(0, ...[...duplicatesByKill.values()].map(({ size }) => size));
  return { duplicates, ofDropped, worstKill, duplicatesOfKills };
}
