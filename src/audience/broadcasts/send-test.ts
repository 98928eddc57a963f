import type { CallerCtx } from "../../access/caller.ts";
import { addressKey, parseAddress } from "../../lib/addresses.ts";
import { bodyError, invalidField, unprocessable } from "../../lib/errors.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import { commitEmails, requireSendingAllowed } from "../../sending/emails/index.ts";
import { findSender } from "./check-start.ts";
import { currentParts, hasContent, storeContents, toContents, toStored } from "./contents.ts";
import { findSuppressed } from "./find-suppressed.ts";
import { toEmail } from "./new-email.ts";
import { type BroadcastRow, getBroadcast } from "./queries.ts";
import type { TestIn, TestOut } from "./report-schema.ts";
import { findVariants, getVariant, type VariantRow } from "./variants/queries.ts";

/**
 * Sends the content of a broadcast to given addresses, with their address as the only value. These emails count for no
 * broadcast. Throws 429 beyond the daily limit of the workspace, 403 when the account or workspace may not send, 404 for the broadcast or the variant, 422 for an
 * address that is not valid or suppressed, a sender that may not send, or a broadcast without content or with a template that is missing.
 */
export async function sendTest(ctx: CallerCtx, id: string, { to, variant_id }: TestIn): Promise<TestOut> {
  requireSendingAllowed(ctx, "broadcast");
  const broadcast = await getBroadcast(ctx, id);
  const { row } = broadcast;
  const chosen = variant_id ? [await getVariant(ctx, broadcast, variant_id)] : await findVariants(ctx, row.n);
  const contents = await readContents(ctx, row, chosen.slice(0, 1));
  if (!hasContent(contents)) throw invalidField("html_body", "A broadcast needs html_body or text_body to be sent");
  const sender = await findSender(ctx, row, ctx.actor.domainIds);
  if ("error" in sender) throw unprocessable([sender.error]);
  // Of two spellings of one address the first is used.
  const indexed = to.map((address, index): [string, { address: string; index: number }] => [
    addressKey(address),
    { address, index },
  ]);
  const addresses = [...new Map(indexed.toReversed())].toReversed();
  const suppressed = await findSuppressed(
    ctx,
    { workspace: row.workspace, topic: null },
    addresses.map(([key]) => key),
  );
  for (const [key, { address, index }] of addresses) {
    if (parseAddress(address) === null) throw unprocessable([bodyError(["to", index], "Not a valid email address")]);
    if (suppressed.has(key)) throw unprocessable([bodyError(["to", index], `${address} is on the suppression list`)]);
  }
  // A key of its own, because the broadcast may change before it is sent.
  const key = `test-${ctx.newId()}`;
  const [content] = toStored(
    ctx.workspace.id,
    row.id,
    contents.map((content) => ({ ...content, key })),
  );
  if (!content) throw new Error("a broadcast has at least one content");
  await storeContents(ctx, ctx.workspace.id, row.id, [content]);
  const now = ctx.now();
  const emails = addresses.map(([emailKey, { address }]) => {
    const contact = {
      n: 0,
      id: "",
      email: parseAddress(address)?.address ?? address,
      key: emailKey,
      name: null,
      metadata: null,
    };
    return toEmail(ctx, {
      row: { n: 0, user_id: ctx.actor.userId, bulk_tags: null, automation: null, web_version_url: row.web_version_url },
      sender,
      // Its recipients need not be subscribed, and leave no topic by a test.
      topic: null,
      contact,
      content,
      now,
      outboxId: null,
    });
  });
  const response = {
    emails: emails.map((email, index) => ({ id: email.id, email: addresses[index]?.[1].address ?? "" })),
  };
  await commitEmails(ctx, emails, { response, contentKey: null });
  return response;
}

/** Returns the contents with the parts of now. Throws 422 when a template that they render is missing. */
async function readContents(ctx: CallerCtx, row: BroadcastRow, variants: readonly VariantRow[]) {
  try {
    return toContents(row, variants, await currentParts(ctx, row, variants));
  } catch (error) {
    if (error instanceof LiquidTextError) throw invalidField("html_body", error.message);
    throw error;
  }
}
