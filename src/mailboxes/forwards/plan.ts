import { addressKey } from "../../lib/addresses.ts";
import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import type { forwardingRules } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import {
  IS_CONFIRMED_SQL,
  isLoop,
  type MatchedMessage,
  matches,
  permittedForwards,
  type RuleMatch,
} from "../forwarding-rules/index.ts";
import type { FilterOutcome } from "../mailbox-store/index.ts";
import type { Forward, ForwardRow } from "./types.ts";

/** An inbound email that rules and the automatic reply of its mailbox are compared with. */
export interface ForwardedEmail extends MatchedMessage {
  id: string;
  object: string;
  /** Recipients for which it was forwarded before, by the rules that they meet; null when it was not. */
  earlierRecipients: readonly string[] | null;
  /** The forwards that the filters of the mailbox decided. */
  filtered: FilterOutcome["forwards"];
  /** Envelope sender. */
  envelopeFrom: string;
  fields: { all(name: string): readonly string[] };
  receivedAt: number;
  authentication: Forward["authentication"];
  /** True when the email itself allows an automatic reply. */
  mayReply: boolean;
}

/** The mailbox that received it. */
export interface ForwardingMailbox {
  id: string;
  /** Canonical; of a catch-all, `*@` and the domain. */
  address: string;
  /** The address that the email was sent to: that of the mailbox, or an alias. */
  received_as: string;
  /** Number of the workspace. */
  workspace: number;
  domain_id: string;
  /** 1 when forwarding rules or an automatic reply may apply to its mail. */
  has_rules: 0 | 1;
  has_auto_reply: 0 | 1;
}

/** Outbox rows of the forwards of an email, and what the inbound log says at once. */
export interface ForwardPlan {
  rows: ForwardRow[];
  events: ({ event: string } & Record<string, unknown>)[];
}

type Rule = StoredColumns<typeof forwardingRules, "id" | "match" | "action" | "target">;

const FIND_RULES = `
  SELECT r.id, r.match, r.action, r.target FROM forwarding_rules r
   WHERE r.domain_id = ?1 AND r.workspace = ?2 AND (r.mailbox_id IS NULL OR r.mailbox_id = ?3) AND r.is_active = 1
     AND ${IS_CONFIRMED_SQL} ORDER BY r.position, r.id`;

/**
 * Returns the forwards of an email that is not spam: one for each rule that matches, in order of position, those of filters, and its
 * automatic reply. An email that was here before is not forwarded again. The ids are equal for a repeated delivery.
 */
export async function planForwards(ctx: Ctx, mailbox: ForwardingMailbox, email: ForwardedEmail): Promise<ForwardPlan> {
  const rules = mailbox.has_rules === 1 ? await findRules(ctx, mailbox, email) : [];
  const filtered = await findFiltered(ctx, mailbox, email, rules);
  const isRepeated = rules.length + filtered.length > 0 && isLoop(email.fields, mailbox.address);
  const forwards: Pick<Forward, "action" | "rule" | "filter" | "target">[] = [
    ...(isRepeated ? [] : rules).map(({ id, action, target }) => ({ action, rule: id, target })),
    ...(isRepeated ? [] : filtered).map(({ filter, address }) => ({
      action: "address" as const,
      rule: null,
      filter,
      target: address,
    })),
    ...(mailbox.has_auto_reply === 1 && email.mayReply
      ? [{ action: "reply" as const, rule: null, target: email.envelopeFrom }]
      : []),
  ];
  const { address, received_as: alias } = mailbox;
  // An automatic reply is from the address that was written to, at the domain whose key signs the reply.
  const replyAddress = address.split("@")[1] === alias.split("@")[1] ? alias : address;
  const rows = forwards.map(async (one, index) => ({
    id: await uuidFromHash(utf8(`${email.id} ${nameOf(one)}`)),
    forward: {
      ...one,
      index,
      workspace: mailbox.workspace,
      inbound: email.id,
      mailbox: mailbox.id,
      address: one.action === "reply" ? replyAddress : address,
      object: email.object,
      from: email.envelopeFrom,
      authentication: email.authentication,
      attempts: 0,
      receivedAt: email.receivedAt,
    },
  }));
  const events = isRepeated ? [{ event: "not_forwarded", reason: "a forwarding loop" }] : [];
  return { rows: await Promise.all(rows), events };
}

/** Returns the name of a forward among those of its email. A filter may forward to several addresses. */
const nameOf = ({ rule, filter, target }: Pick<Forward, "rule" | "filter" | "target">) =>
  rule ?? (filter ? `${filter} ${target}` : "reply");

/** Returns the forwards of the filters that may leave, and that no rule forwards to already. */
async function findFiltered(
  ctx: Ctx,
  mailbox: ForwardingMailbox,
  { filtered }: ForwardedEmail,
  rules: readonly Rule[],
): Promise<FilterOutcome["forwards"]> {
  const known = new Set(rules.flatMap(({ action, target }) => (action === "address" ? [addressKey(target)] : [])));
  const others = filtered.filter(({ key }) => !known.has(key));
  return permittedForwards(ctx, mailbox, others);
}

async function findRules(ctx: Ctx, { domain_id, workspace, id }: ForwardingMailbox, email: ForwardedEmail) {
  const results = await ctx.db.listRows<Rule>(FIND_RULES, domain_id, workspace, id);
  const { earlierRecipients } = email;
  return results.filter(({ match: text }) => {
    const match = JSON.parse(text) as RuleMatch;
    const wasForwarded = earlierRecipients !== null && matches(match, { ...email, recipients: earlierRecipients });
    return matches(match, email) && !wasForwarded;
  });
}
