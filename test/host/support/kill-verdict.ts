/** What went in against what came out: the multiset check of a kill run. Pure, but for asking for events. */
import type { Receipt } from "./counting-sink.ts";
import type { Event, Listed, SendAttempt } from "./sending-client.ts";

export interface Evidence {
  wanted: readonly SendAttempt[];
  listed: readonly Listed[];
  receipts: readonly Receipt[];
  eventsOf(id: string): Promise<Event[]>;
}

export interface Verdict {
  /** Requests answered 202. */
  accepted: number;
  /** Requests without a key whose answer was lost, and how many of them the service has. */
  uncertain: number;
  uncertainAccepted: number;
  /** Requests with a key that were called again because an answer was lost. */
  repeated: number;
  delivered: number;
  /** What is wrong, one sentence each; all are empty in a good run. */
  faults: {
    lost: string[];
    unexpected: string[];
    duplicated: string[];
    undelivered: string[];
    unreported: string[];
    unexplained: string[];
  };
  /** Second and later arrivals of a message. */
  duplicates: number;
  /** Of those, the ones that the sink asked for by not answering. */
  ofDropped: number;
  /** Messages doubled by the kill of one host, at most. */
  worstKill: number;
}

/** Compares. */
export async function compareResults(evidence: Evidence): Promise<Verdict> {
  const { wanted, listed, receipts } = evidence;
  const ofSubject = Map.groupBy(listed, ({ subject }) => subject);
  const arrivals = Map.groupBy(receipts, ({ messageId }) => messageId);
  const faults: Verdict["faults"] = {
    lost: [],
    unexpected: [],
    duplicated: [],
    undelivered: [],
    unreported: [],
    unexplained: [],
  };
  const known = new Set<string>();
  const uncertain = wanted.filter(({ ids }) => ids.size === 0);

  for (const mail of wanted) {
    const emails = ofSubject.get(mail.subject) ?? [];
    for (const id of mail.ids)
      if (!emails.some((email) => email.id === id)) faults.lost.push(`${mail.subject}: ${id} is gone`);
    if (emails.length > 1) faults.duplicated.push(`${mail.subject}: ${emails.length} emails`);
    for (const { id, status } of emails) {
      if (status !== "delivered") faults.undelivered.push(`${mail.subject}: ${id} is ${status}`);
      const arrived = arrivals.get(messageIdOf(id, receipts)) ?? [];
      for (const receipt of arrived) known.add(receipt.messageId);
      const reached = new Set(arrived.flatMap(({ recipients }) => recipients));
      const missed = mail.recipients.filter((recipient) => !reached.has(recipient));
      if (missed.length > 0) faults.lost.push(`${mail.subject}: nothing came to ${missed.join(", ")}`);
      const unexpected = [...reached].filter((recipient) => !mail.recipients.includes(recipient));
      if (unexpected.length > 0) faults.unexpected.push(`${mail.subject}: came to ${unexpected.join(", ")}`);
    }
  }
  const subjects = new Set(wanted.map(({ subject }) => subject));
  for (const { subject, id } of listed)
    if (!subjects.has(subject)) faults.unexpected.push(`${id}: nobody asked for it`);
  for (const { messageId, subject } of receipts) {
    if (!known.has(messageId)) faults.unexpected.push(`${subject}: the sink has ${messageId}, the service does not`);
  }
  const doubles = await checkDuplicates(evidence, arrivals, faults);
  return {
    accepted: wanted.length - uncertain.length,
    uncertain: uncertain.length,
    uncertainAccepted: uncertain.filter(({ subject }) => ofSubject.has(subject)).length,
    repeated: wanted.filter(({ key, answerLost }) => key !== null && answerLost).length,
    delivered: listed.filter(({ status }) => status === "delivered").length,
    faults,
    ...doubles,
  };
}

function messageIdOf(id: string, receipts: readonly Receipt[]): string {
  const domain = receipts[0]?.messageId.replace(/^.*@/, "") ?? ">";
  return `<${id}@${domain}`;
}

/** A message that comes again must be said in its events, and only a kill or a missing answer explains it. */
async function checkDuplicates(
  { eventsOf }: Evidence,
  arrivals: ReadonlyMap<string, Receipt[]>,
  faults: Verdict["faults"],
): Promise<Pick<Verdict, "duplicates" | "ofDropped" | "worstKill">> {
  const ofKill = new Map<number, number>();
  let [duplicates, ofDropped] = [0, 0];
  for (const [messageId, arrived] of arrivals) {
    for (const [at, again] of arrived.entries()) {
      const before = arrived[at - 1];
      if (!before) continue;
      duplicates += 1;
      if (before.dropped) ofDropped += 1;
      else if (before.epoch < again.epoch) ofKill.set(before.epoch, (ofKill.get(before.epoch) ?? 0) + 1);
      else faults.unexplained.push(`${messageId} came twice from host ${again.epoch}, answered both times`);
    }
    if (arrived.length < 2) continue;
    const events = await eventsOf(messageId.slice(1, messageId.indexOf("@")));
    const twice = arrived
      .flatMap(({ recipients }) => recipients)
      .filter((recipient, at, all) => all.indexOf(recipient) < at);
    for (const recipient of new Set(twice)) {
      const said = events.some(
        ({ metadata }) =>
          metadata?.recipient === recipient && (metadata.possible_duplicate === true || metadata.ambiguous === true),
      );
      if (!said) faults.unreported.push(`${messageId} came twice to ${recipient}: ${JSON.stringify(events)}`);
    }
  }
  return { duplicates, ofDropped, worstKill: Math.max(0, ...ofKill.values()) };
}
