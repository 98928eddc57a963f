import type { CallerCtx } from "../../access/caller.ts";
import { parseDisplayAddress } from "../../lib/display-address.ts";
import { bodyError, type ValidationError } from "../../lib/errors.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import type { MailCtx } from "../../platform/context.ts";
import { mailboxAddressesSql } from "../../platform/db/mailbox-addresses.ts";
import { SANDBOX_MEMBERS_SQL } from "../../platform/db/sandbox-members.ts";
import { applySenderRule, type SenderMailbox } from "../../sending/emails/index.ts";
import { findTopic, type TopicRow } from "../../sending/topics/index.ts";
import { findSegment } from "../segments/index.ts";
import { countEligible } from "./audience.ts";
import { currentParts, hasContent, toContents } from "./contents.ts";
import { type FanOut, neededLists, newFanOut, newSegmentFanOut, type Sender } from "./fan-out.ts";
import { WEB_VERSION_URL } from "./new-email.ts";
import { type Broadcast, type BroadcastRow, findContactLists, findLastContact, listIdsOf } from "./queries.ts";
import { limits } from "./rules.ts";
import { enoughEligible, sampleIssue as issueOfSample } from "./split.ts";
import { findVariants, type VariantRow } from "./variants/queries.ts";

interface SenderRow extends SenderMailbox {
  mailbox_id: string;
  display_name: string | null;
}

// A catch-all receives only: it never satisfies the sender rule.
const FIND_SENDER = `
  SELECT m.id AS mailbox_id, a.address, m.is_active, m.display_name, d.id AS domain_id, d.name AS domain, d.status AS domain_status,
         ${SANDBOX_MEMBERS_SQL} AS members
    FROM (${mailboxAddressesSql("?1", "(?2)")}) a
    JOIN mailboxes m ON m.id = a.mailbox_id JOIN domains d ON d.id = a.domain_id AND d.workspace = m.workspace`;

const missingList = bodyError(["contact_list_id"], "The contact list does not exist any more");

const missingSegment = bodyError(["segment_id"], "The segment does not exist any more");

/** The error of a broadcast whose topic was deleted. */
export const missingTopic = bodyError(["topic_id"], "The topic does not exist any more");

const missingWebVersion = bodyError(
  ["html_body"],
  `The content has {{${WEB_VERSION_URL}}}, and the broadcast is not shown on the web`,
);

const COUNT_LISTS = "SELECT count(*) AS lists FROM contact_lists WHERE n IN (SELECT value FROM json_each(?1))";

/** Returns whether all contact lists exist, by their numbers. */
export async function hasLists(ctx: MailCtx, lists: readonly number[]): Promise<boolean> {
  return (await ctx.mail.findValue(COUNT_LISTS, JSON.stringify(lists))) === lists.length;
}

/**
 * Checks what a broadcast needs before it is sent: a list with contacts, content, a sender that the sender rule allows, and a sample
 * that has a contact for each variant (docs/contract/broadcasts.md#what-a-broadcast-needs). Returns its fan-out, or every error.
 */
export async function checkStart(
  ctx: MailCtx,
  broadcast: Broadcast,
  domainIds: CallerCtx["actor"]["domainIds"],
): Promise<{ fanOut: FanOut } | { errors: ValidationError[] }> {
  const errors: ValidationError[] = [];
  const { row } = broadcast;
  const sender = await findSender(ctx, row, domainIds);
  if ("error" in sender) errors.push(sender.error);
  const topic = row.topic_id === null ? null : await findTopic(ctx, row.workspace, row.topic_id);
  if (row.topic_id !== null && topic === null) errors.push(missingTopic);
  const lists = await findContactLists(ctx, row.workspace, listIdsOf(row));
  const segment = row.segment_id === null ? null : await findSegment(ctx, row.workspace, row.segment_id);
  if (row.segment_id !== null && segment === null) errors.push(missingSegment);
  const listsIssue = findListsIssue(row, lists);
  if (listsIssue) errors.push(listsIssue);
  const variants = await findVariants(ctx, row.n);
  const issue = await findContentIssue(ctx, row, variants);
  if (issue) errors.push(bodyError(["html_body"], issue));
  const hasLink = [row, ...variants].some((one) => `${one.html_body}${one.text_body}`.includes(WEB_VERSION_URL));
  if (hasLink && row.web_version_url === null) errors.push(missingWebVersion);
  if (row.ab_auto_promote !== null && (row.ab_test_pct === null || variants.length < 2))
    errors.push(bodyError(["ab_auto_promote"], "ab_auto_promote needs ab_test_pct and two variants"));
  const sending = { sender, topic: topic?.n ?? null };
  if (errors.length === 0 && segment !== null && !("error" in sender)) {
    const members = { id: segment.id, lists: lists.map(({ n }) => n), at: ctx.now() };
    return { fanOut: newSegmentFanOut(members, await findLastContact(ctx), { ...sending, sender }) };
  }
  const [first, ...further] = lists;
  if (errors.length > 0 || !first || "error" in sender) return { errors };
  const numbers = [first.n, ...further.map(({ n }) => n)] as const;
  const sampleIssue = await findSampleIssue(ctx, row, { lists: numbers, topic }, variants);
  if (sampleIssue) return { errors: [bodyError(["ab_test_pct"], sampleIssue)] };
  return { fanOut: newFanOut(numbers, first.lastContact, { ...sending, sender }) };
}

/** Returns why the lists of a broadcast cannot be sent to, or null. With a segment it needs none, and they may be of any size. */
function findListsIssue(
  row: BroadcastRow,
  lists: Awaited<ReturnType<typeof findContactLists>>,
): ValidationError | null {
  const ids = listIdsOf(row);
  if (row.segment_id !== null && ids.length === 0) return null;
  if (row.contact_list_id === null && row.segment_id === null)
    return bodyError(["contact_list_id"], "A broadcast needs a contact list or a segment to be sent");
  if (lists.length < ids.length) return missingList;
  const contacts = lists.reduce((sum, list) => sum + list.contacts, 0);
  if (contacts === 0) return bodyError(["contact_list_id"], "The contact list is empty");
  const isTooLarge = contacts > limits.audience && row.segment_id === null;
  return isTooLarge ? bodyError(["contact_list_id"], tooManyContacts(contacts)) : null;
}

/** Returns why the content of a broadcast cannot be sent, or null: a body is missing, or a template that it renders. */
async function findContentIssue(
  ctx: MailCtx,
  row: BroadcastRow,
  variants: readonly VariantRow[],
): Promise<string | null> {
  try {
    const contents = toContents(row, variants, await currentParts(ctx, row, variants));
    return hasContent(contents) ? null : "A broadcast needs html_body or text_body, for each variant, to be sent";
  } catch (error) {
    if (error instanceof LiquidTextError) return `The content cannot be rendered: ${error.message}`;
    throw error;
  }
}

/** Returns why the sample of a broadcast is too small for its variants, or null. Counts no more contacts than decide that. */
async function findSampleIssue(
  ctx: MailCtx,
  { workspace, ab_test_pct: pct }: BroadcastRow,
  { lists, topic }: { lists: readonly number[]; topic: TopicRow | null },
  variants: readonly VariantRow[],
): Promise<string | null> {
  if (pct === null || variants.length < 2) return null;
  const eligible = await countEligible(ctx, { workspace, lists, topic }, enoughEligible(pct, variants));
  return issueOfSample(eligible, pct, variants);
}

/** Returns the message for a list with more contacts than one broadcast may have. */
export function tooManyContacts(contacts: number): string {
  const [actual, limit] = [contacts, limits.audience].map((count) => count.toLocaleString("en"));
  return `The list has ${actual} contacts; the limit of one send is ${limit}`;
}

/** Returns the sender of a promotion, or why the contacts outside the sample cannot be mailed any more. */
export async function checkPromotion(
  ctx: MailCtx,
  { row, fanOut }: { row: BroadcastRow; fanOut: FanOut },
  domainIds: CallerCtx["actor"]["domainIds"],
): Promise<Sender | { error: ValidationError }> {
  const sender = await findSender(ctx, row, domainIds);
  if ("error" in sender) return sender;
  if (!(await hasLists(ctx, neededLists(fanOut)))) return { error: missingList };
  const hasTopic = row.topic_id === null || (await findTopic(ctx, row.workspace, row.topic_id)) !== null;
  return hasTopic ? sender : { error: missingTopic };
}

/** Returns the sender of a broadcast, or why it may not send. */
export async function findSender(
  ctx: MailCtx,
  row: BroadcastRow,
  domainIds: CallerCtx["actor"]["domainIds"],
): Promise<Sender | { error: ValidationError }> {
  const from = parseDisplayAddress(row.from_address);
  const found = await ctx.db.findRow<SenderRow>(FIND_SENDER, row.workspace, from?.key ?? "");
  if (found && row.mailbox_id !== null && row.mailbox_id !== found.mailbox_id)
    return { error: bodyError(["mailbox_id"], "from_address must be the address of the mailbox") };
  const asked = from?.address ?? "";
  const checked = applySenderRule(found, asked, domainIds);
  if ("error" in checked) return { error: bodyError(["from_address"], checked.error) };
  const { mailbox_id: mailboxId, domain_id: domainId, domain, display_name: displayName } = checked.mailbox;
  return { mailboxId, domainId, domain, email: asked, name: from?.name ?? displayName };
}
