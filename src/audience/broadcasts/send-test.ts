import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { bodyError, invalidField, unprocessable } from "../../lib/errors.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import { commitEmails, requireSendingAllowed } from "../../sending/emails/index.ts";
import { findSampleContact } from "../contacts/index.ts";
import { findSender } from "./check-start.ts";
import { currentParts, hasContent, storeContents, toContents, toStored, type VariantContent } from "./contents.ts";
import type { Sender } from "./fan-out.ts";
import { findSuppressed } from "./find-suppressed.ts";
import { toEmail, withEvent } from "./new-email.ts";
import { type BroadcastRow, getBroadcast } from "./queries.ts";
import type { TestIn, TestOut } from "./report-schema.ts";
import { findVariants, getVariant, type VariantRow } from "./variants/queries.ts";

/**
 * Sends the content of a broadcast to given addresses, with their address as the only value, or with the values of a contact. These emails
 * count for no broadcast. Throws 429 beyond the daily limit of the workspace, 403 when the account or workspace may not send, 404 for the
 * broadcast or the variant, 422 for an address that is not valid or suppressed, a contact that does not exist, a sender that may not send,
 * or a broadcast without content or with a template that is missing.
 */
export async function sendTest(ctx: CallerCtx, id: string, { variant_id, ...test }: TestIn): Promise<TestOut> {
  requireSendingAllowed(ctx, "broadcast");
  const broadcast = await getBroadcast(ctx, id);
  const { row } = broadcast;
  const chosen = variant_id ? [await getVariant(ctx, broadcast, variant_id)] : await findVariants(ctx, row.n);
  const [content] = await readContents(ctx, row, chosen.slice(0, 1));
  if (!content || !hasContent([content]))
    throw invalidField("html_body", "A broadcast needs html_body or text_body to be sent");
  const sender = await findSender(ctx, row, ctx.actor.domainIds);
  if ("error" in sender) throw unprocessable([sender.error]);
  return sendContent(ctx, { id: row.id, content, sender, webVersion: row.web_version_url }, test);
}

/** Where a test goes, and what fills it. */
interface Test extends Omit<TestIn, "variant_id"> {
  /** Data of an event, which the content may name as `event`. */
  event?: Readonly<Record<string, unknown>>;
}

/** A content that is tested. `id`: of the row that it belongs to, for its place in R2. */
interface TestedContent {
  id: string;
  content: VariantContent;
  sender: Sender;
  /** Address of its web version; null: it has none. */
  webVersion?: string | null;
}

/** Sends a content to given addresses. Throws 422 as `sendTest` does. */
export async function sendContent(
  ctx: CallerCtx,
  { id, content, sender, webVersion = null }: TestedContent,
  { to, contact: address, event }: Test,
): Promise<TestOut> {
  const addresses = await readAddresses(ctx, to);
  if (address) requireScopes(ctx.actor, "contacts:view");
  const person = address ? await findSampleContact(ctx, { address }) : null;
  if (address && person === null) throw invalidField("contact", "No contact has this address");
  // A key of its own, because the content may change before it is sent.
  const contents = [{ ...content, key: `test-${ctx.newId()}` }];
  const [stored] = toStored(ctx.workspace.id, id, contents);
  if (!stored) throw new Error("a list of one content has a content");
  await storeContents(ctx, ctx.workspace.id, id, contents);
  const now = ctx.now();
  const emails = addresses.map(({ email, key }) => {
    const contact = { n: 0, id: "", name: null, metadata: null, ...(person ?? { email, key }) };
    return toEmail(ctx, {
      row: { n: 0, user_id: ctx.actor.userId, bulk_tags: null, automation: null, web_version_url: webVersion },
      sender,
      // Its recipients need not be subscribed, and leave no topic by a test.
      topic: null,
      contact: event === undefined ? contact : withEvent(contact, event),
      recipient: { email, key, name: null },
      content: stored,
      now,
      outboxId: null,
    });
  });
  const response = { emails: emails.map((email, index) => ({ id: email.id, email: addresses[index]?.given ?? "" })) };
  await commitEmails(ctx, emails, { response, contentKey: null });
  return response;
}

/** Returns addresses, each once: of two spellings the first. Throws 422 for one that is not valid or suppressed. */
async function readAddresses(ctx: CallerCtx, to: readonly string[]) {
  const read = to.map((given, index) => {
    const address = parseAddress(given);
    if (address === null) throw unprocessable([bodyError(["to", index], "Not a valid email address")]);
    return { given, index, email: address.address, key: address.key };
  });
  const addresses = read.filter(({ key }, index) => read.findIndex((other) => other.key === key) === index);
  const keys = addresses.map(({ key }) => key);
  const suppressed = await findSuppressed(ctx, { workspace: ctx.workspace.number, topic: null }, keys);
  for (const { key, given, index } of addresses)
    if (suppressed.has(key)) throw unprocessable([bodyError(["to", index], `${given} is on the suppression list`)]);
  return addresses;
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
