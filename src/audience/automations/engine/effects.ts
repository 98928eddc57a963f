import type { MailCtx } from "../../../platform/context.ts";
import type { EffectKind } from "../compile.ts";
import { prepareWebhooks } from "./call-webhooks.ts";
import { prepareFields, prepareLists } from "./change-contacts.ts";
import { applyTopics } from "./change-topics.ts";
import { applyNotices } from "./notify-team.ts";
import { joinPrepared, type PendingEffect, type PendingOf, type Prepared } from "./outcome.ts";
import { prepareEmails } from "./send-emails.ts";

export type { PendingEffect, Prepared } from "./outcome.ts";

/** Targets of the effects of a page: steps that send emails, lists, webhooks. Each may cost some D1 calls of its own. */
const TARGETS_PER_PAGE = 20;
/** Notifications of a page: each is three statements. */
const NOTICES_PER_PAGE = 20;

/** Returns the effects of one kind of step. */
function ofKind<Kind extends EffectKind>(pending: readonly PendingEffect[], kind: Kind): PendingOf<Kind>[] {
  // The compiler does not relate the kind of the step inside to the whole.
  return pending.filter(({ effect }) => effect.step.kind === kind) as unknown as PendingOf<Kind>[];
}

/** Returns the effects of one page, in the order of their runs: one for a person, and few enough targets. The others stay due. */
export function choosePage(pending: readonly PendingEffect[]): PendingEffect[] {
  const people = new Set<string>();
  const targets = new Set<string>();
  let notices = 0;
  return pending.filter((one) => {
    const person = `${one.due.workspace} ${one.due.key}`;
    const target = targetOf(one);
    if (people.has(person) || (!targets.has(target) && targets.size >= TARGETS_PER_PAGE)) return false;
    if (one.effect.step.kind === "notify" && ++notices > NOTICES_PER_PAGE) return false;
    people.add(person);
    targets.add(target);
    return true;
  });
}

function targetOf({ due, effect: { step, path } }: PendingEffect): string {
  if (step.kind === "send_email") return `${due.version} ${path}`;
  return "list_id" in step ? `${due.workspace} ${step.kind} ${step.list_id}` : step.kind;
}

/** Does effects in the main database, each safe to repeat, and prepares what belongs to them in the transaction of the moves. */
export async function applyInMain(ctx: MailCtx, pending: readonly PendingEffect[]): Promise<Prepared> {
  return joinPrepared([
    await applyTopics(ctx, ofKind(pending, "change_topic")),
    await applyNotices(ctx, ofKind(pending, "notify")),
  ]);
}

/** Prepares effects for the transaction that moves their runs. */
export async function prepareEffects(ctx: MailCtx, pending: readonly PendingEffect[]): Promise<Prepared> {
  return joinPrepared([
    await prepareEmails(ctx, ofKind(pending, "send_email")),
    prepareFields(ctx, ofKind(pending, "set_field")),
    await prepareLists(ctx, [...ofKind(pending, "add_to_list"), ...ofKind(pending, "remove_from_list")]),
    await prepareWebhooks(ctx, ofKind(pending, "webhook")),
  ]);
}
