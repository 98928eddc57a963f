import type { RecipientResult } from "../../../src/mail/smtp/transport.ts";
import { runForwards } from "../../../src/mailboxes/forwards/index.ts";
import type { WakeUp } from "../../../src/platform/context.ts";
import type { Egress } from "../../../src/sending/delivery/index.ts";
import { ACCEPTED, egressWithoutNetwork } from "../../support/accepting-egress.ts";
import { database } from "../../support/databases.ts";
import { latin1 } from "../../support/outgoing-mail.ts";
import { discardingQueue, recordingContext, type TestWorkspace } from "../../support/workspace.ts";
import { deliver } from "../inbound/support.ts";

/** A message that the egress took. */
interface Sent {
  from: string;
  to: string;
  /** The message as a binary string. */
  raw: string;
}

/** Returns an egress that keeps what it takes, and that gives the results in `replies` first. */
export function collectingEgress(replies: RecipientResult[] = []) {
  const sent: Sent[] = [];
  const egress = egressWithoutNetwork({
    connections: 1,
    async onSend({ mailFrom, recipients }, message) {
      const result = replies.shift() ?? ACCEPTED;
      let raw = "";
      for await (const chunk of message.chunks()) raw += latin1(chunk);
      if (raw.length !== message.size) throw new Error("the size of the message is wrong");
      if (result.kind === "accepted") sent.push({ from: mailFrom, to: recipients[0]?.address ?? "", raw });
      return result;
    },
  });
  return { egress, sent };
}

/** Returns the outbox rows of forwards of a workspace. */
export async function forwardRows({ workspaceNumber }: TestWorkspace): Promise<WakeUp[]> {
  const results = await database.rows<WakeUp>(
    "SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'forward' AND ref->>'workspace' = ?1 ORDER BY ref->>'index'",
    [workspaceNumber],
  );
  return results;
}

/** Makes the forwards of a workspace that are due at a time. */
export async function forwardAt(workspace: TestWorkspace, egress: Egress, now = Date.now() + 1_000): Promise<void> {
  const { ctx } = recordingContext({}, () => now);
  const due = (await forwardRows(workspace)).filter(({ dueAt }) => dueAt <= now);
  await runForwards(ctx, due, egress);
}

/** Delivers a message without a queue, so that the test decides when it is forwarded. */
export const arrive = (
  to: string,
  raw: string,
  options: { from?: string; bindings?: Record<string, unknown>; isAuthentic?: boolean } = {},
) => deliver(to, raw, { ...options, bindings: { WORK: discardingQueue, ...options.bindings } });

/** Returns the events in the inbound log of a workspace, oldest first, without times. */
export async function eventsOf({
  workspaceNumber,
}: TestWorkspace): Promise<{ event: string; [name: string]: unknown }[]> {
  const results = await database.rows<{ events: string }>(
    "SELECT events FROM inbound_emails WHERE workspace = ?1 ORDER BY n",
    [workspaceNumber],
  );
  return results.flatMap(({ events }) => JSON.parse(events) as { event: string }[]);
}
