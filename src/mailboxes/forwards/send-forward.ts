import { addressKey } from "../../lib/addresses.ts";
import { readChunks } from "../../lib/read-chunks.ts";
import type { MailCtx } from "../../platform/context.ts";
import { newForwardPath } from "../../platform/mail-tokens/return-path.ts";
import { IS_CONFIRMED_SQL, permittedForwards } from "../forwarding-rules/index.ts";
import { mailboxStore } from "../mailbox-store/index.ts";
import type { EgressSession } from "./egress-session.ts";
import { forwardedMessage } from "./forwarded-message.ts";
import { findSender } from "./sender.ts";
import { type Forward, type ForwardResult, type ForwardRow, failed } from "./types.ts";

/** The largest email that is held in memory while it is sent, in bytes. */
const HELD_BYTES = 1_048_576;

const IS_RULE_ACTIVE = `
  SELECT 1 FROM forwarding_rules r
   WHERE r.id = ?1 AND r.workspace = ?2 AND r.target = ?3 AND r.is_active = 1 AND ${IS_CONFIRMED_SQL}`;

/**
 * Sends an email on to an address: From, its DKIM signature and its content stay as they are, the return path is a signed
 * address of the service, and the mailbox's domain seals it with ARC (docs/contract/inbound.md#forwarding-rules).
 */
export async function sendForward(
  ctx: MailCtx,
  { id, forward }: ForwardRow,
  session: EgressSession,
): Promise<ForwardResult> {
  const { rule, workspace, inbound, index, target } = forward;
  if (forward.filter !== undefined) {
    if (!(await isFilterActive(ctx, forward, forward.filter)))
      return failed("the filter was deleted, disabled or changed");
  } else if (!(await ctx.db.findRow(IS_RULE_ACTIVE, rule, workspace, target)))
    return failed("the rule was deleted, disabled or changed");
  const sender = await findSender(ctx, forward, addressKey(target));
  if (!sender) return failed("the mailbox is not active or its domain is not verified");
  if (sender.isSuppressed) return failed("the address is on the suppression list");
  if (sender.isPaused) return { kind: "later", reason: "sending is paused", isAttempt: false };
  const object = await ctx.env.CONTENT.get(forward.object);
  if (!object) return failed("the email was deleted before it was forwarded");
  const message = await forwardedMessage(ctx, await toReader(ctx, object), { id, forward, sender });
  const { masterKeys, bounceDomain } = ctx.settings;
  const mailFrom = await newForwardPath(masterKeys, { workspace, emailId: inbound, recipient: index }, bounceDomain);
  return session.send({ mailFrom, recipients: [{ address: target }] }, message, "forwarded");
}

/** Returns whether a filter still forwards to its target, and may. */
async function isFilterActive(ctx: MailCtx, { mailbox, workspace, target }: Forward, id: string): Promise<boolean> {
  const filter = await mailboxStore(ctx, mailbox).findFilter(id);
  if (!filter?.isActive) return false;
  const meant = filter.actions.flatMap((one) => (one.type === "forward" && one.address === target ? [one] : []));
  return (await permittedForwards(ctx, { id: mailbox, workspace }, meant)).length > 0;
}

/** Returns a function that reads an email from its beginning. A large one is read from R2 each time, so that it is not held in memory. */
async function toReader({ env }: MailCtx, object: R2ObjectBody): Promise<() => AsyncIterable<Uint8Array>> {
  if (object.size <= HELD_BYTES) {
    const bytes = await object.bytes();
    return () => readChunks(new Blob([bytes]).stream());
  }
  let opened: R2ObjectBody | null = object;
  return async function* () {
    const next = opened ?? (await env.CONTENT.get(object.key));
    opened = null;
    if (!next) throw new Error("the email was deleted before it was forwarded");
    yield* readChunks(next.body);
  };
}
