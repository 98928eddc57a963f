import { addressKey } from "../../lib/addresses.ts";
import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import type { ParsedMessage } from "../../mail/messages/parse.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { mayReply } from "../auto-replies/index.ts";
import { type ForwardPlan, planForwards } from "../forwards/index.ts";
import type { FilterOutcome, NewMessage } from "../mailbox-store/index.ts";
import { logDelivery } from "./log.ts";
import type { RecipientMailbox } from "./recipients.ts";

/** A message that the mailbox has, and the delivery that brought it. */
interface Delivery {
  /** Envelope sender and recipient. */
  from: string;
  to: string;
  authentication: CheckedAuthentication | null;
  parsed: ParsedMessage;
  /** Its record in the mailbox, also when an earlier delivery stored it. */
  message: NewMessage;
  /** The forwards that the filters of the mailbox decided when the message was stored. */
  forwards: FilterOutcome["forwards"];
}

/**
 * Writes the inbound log entry of a delivery, whose id is that of the object, and the outbox rows of its forwards. A message that
 * is stored once for several addresses of a mailbox has an entry for each: the further ones are forwarded by the rules that only
 * their address meets. A repeated delivery adds nothing. Two calls to the mail database at most beyond those of the first address.
 */
export async function recordDelivery(ctx: Ctx, mailbox: RecipientMailbox, delivery: Delivery): Promise<void> {
  const { to, message } = delivery;
  const id = message.object.slice(r2Keys.mailbox(mailbox.id).length, -".eml".length);
  const first = await planOf(ctx, mailbox, delivery, { id, earlier: null });
  const earlier = await logDelivery(ctx, mailbox, { id, recipient: to, message, plan: first });
  if (earlier === null || addressKey(earlier) === addressKey(to)) return;
  const furtherId = await uuidFromHash(utf8(`${id} ${addressKey(to)}`));
  const plan = await planOf(ctx, mailbox, delivery, { id: furtherId, earlier });
  await logDelivery(ctx, mailbox, { id: furtherId, recipient: to, message, plan });
}

/**
 * Returns the forwards of a stored message. Spam has none (docs/contract/inbound.md#spam). `earlier` is the address that its
 * first entry names.
 */
async function planOf(
  ctx: Ctx,
  mailbox: RecipientMailbox,
  { from, to, authentication, parsed, message, forwards }: Delivery,
  { id, earlier }: { id: string; earlier: string | null },
): Promise<ForwardPlan> {
  // Filters run once for a message, whatever the number of its recipients here.
  const filtered = earlier === null ? forwards : [];
  if (message.folder === "Spam" || (mailbox.has_rules === 0 && mailbox.has_auto_reply === 0 && filtered.length === 0))
    return { rows: [], events: [] };
  const { fields, subject } = parsed;
  const addressed = [...parsed.to, ...parsed.cc].map(({ email }) => email);
  return planForwards(ctx, mailbox, {
    id,
    from: parsed.from?.email ?? null,
    recipients: [to, ...addressed],
    earlierRecipients: earlier === null ? null : [earlier, ...addressed],
    subject,
    object: message.object,
    envelopeFrom: from,
    fields,
    receivedAt: message.receivedAt,
    authentication,
    filtered,
    // A message that a filter has discarded is not answered.
    mayReply:
      earlier === null &&
      message.folder !== "Trash" &&
      addressKey(from) !== mailbox.address &&
      mayReply({ from, fields, subject, addressed, mailbox: mailbox.received_as, authentication }),
  });
}
