import type { MailCtx } from "../../platform/context.ts";
import { MAIN_EGRESS } from "../../platform/settings/named-egresses.ts";
import type { EmailState, Fact } from "../emails/index.ts";
import type { ClaimedMail } from "./claim.ts";
import type { UnusableEgress } from "./egress.ts";
import type { DeliveryUpdate } from "./pending-updates.ts";
import { EGRESS_CHECK_MS, EGRESS_HOLD_MAX_MS } from "./rules.ts";

/** Reasons that tenants see in the event. */
const reasons: Readonly<Record<UnusableEgress["issue"], string>> = {
  not_configured: "no egress is configured",
  malformed: "the egress setting is malformed",
  misconfigured: "the service is not configured completely",
};

/**
 * Returns the update of an email that cannot be sent because the deployment has no egress
 * (docs/contract/delivery.md#missing-egress): one `deferred` event for the whole period, no attempt, the next check in 10
 * minutes or, for that of EGRESS_URL, when it responds. Returns null after 5 days: the email fails.
 */
export function holdForEgress(
  ctx: MailCtx,
  { state }: ClaimedMail,
  { issue, name }: UnusableEgress,
): DeliveryUpdate | null {
  const now = ctx.now();
  const heldSince = heldForEgressSince(state.events);
  if (heldSince !== null && now - heldSince >= EGRESS_HOLD_MAX_MS) return null;
  const metadata = { egress: issue, reason: reasons[issue] };
  const event: Fact = { id: ctx.newId(), recipient: null, on: "deferred", at: now, metadata };
  const next = { dueAt: now + EGRESS_CHECK_MS, outboxId: null };
  return { facts: heldSince === null ? [event] : [], attempt: 0, next, isUnreachable: name === MAIN_EGRESS };
}

/** Returns the reason of an email that waited 5 days for an egress. */
export function holdFailure({ issue }: UnusableEgress): string {
  return `${reasons[issue]}, for 5 days`;
}

/** Time of the event that started the hold; null when the last `deferred` event has another cause. */
function heldForEgressSince(events: EmailState["events"]): number | null {
  const last = events.findLast(({ type }) => type === "deferred");
  return last?.metadata?.egress === undefined ? null : last.at;
}
