import { KEY_WORKSPACE } from "../../../access/accounts/authenticate.ts";
import { type CallerCtx, EarlySlot } from "../../../access/caller.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { parseUuid } from "../../../lib/ids.ts";
import type { Ctx } from "../../../platform/context.ts";
import { jsonChunks } from "../../../platform/db/json-chunks.ts";
import { mailboxAddressesSql } from "../../../platform/db/mailbox-addresses.ts";
import { SANDBOX_MEMBERS_SQL } from "../../../platform/db/sandbox-members.ts";
import { AddressForms } from "../../../platform/erased-addresses/forms.ts";
import type { ContentColumns, TemplateContent } from "../../templates/index.ts";
import { type SendTopics, sendTopicsStatements, type TopicRef, toSendTopics } from "../../topics/index.ts";
import type { Suppression, SuppressionReason } from "../rules.ts";
import type { ParsedRequest } from "./parse.ts";
import type { SenderMailbox } from "./sender-rule.ts";
import { findTemplateIds, findTemplatesStatement, toTemplates } from "./templates.ts";

interface SuppressionRow {
  email: string;
  reason: SuppressionReason;
  unsubscribed_at: number | null;
}

/** Templates that are read with the credential: before it is known to be valid, so few. */
const MAX_EARLY_TEMPLATES = 4;

// A catch-all receives only: it never satisfies the sender rule.
const findSenders = (workspace: string) => `
  SELECT a.address, m.id AS mailbox_id, m.is_active, d.id AS domain_id, d.name AS domain, d.status AS domain_status,
         ${SANDBOX_MEMBERS_SQL} AS members
    FROM (${mailboxAddressesSql(workspace, "(SELECT value FROM json_each(?2))")}) a
    JOIN mailboxes m ON m.id = a.mailbox_id JOIN domains d ON d.id = a.domain_id AND d.workspace = m.workspace`;

const findSuppressed = (workspace: string) => `
  SELECT email, reason, unsubscribed_at FROM suppressions WHERE workspace = ${workspace} AND email IN (SELECT value FROM json_each(?2))`;

/** Returns the reads of some addresses and topics. `workspace` is an SQL expression of `?1`, to which `parameter` is bound. */
function reads(ctx: Ctx, { senders, recipients, topics }: Addresses) {
  const forms = new AddressForms(recipients);
  const chunks = recipients.size === 0 ? [] : jsonChunks(forms.all.map((key) => JSON.stringify(key)));
  return {
    statements: (workspace: string, parameter: unknown) => [
      ctx.db.prepare(findSenders(workspace)).bind(parameter, JSON.stringify([...senders])),
      ...chunks.map((keys) => ctx.db.prepare(findSuppressed(workspace)).bind(parameter, keys)),
      ...sendTopicsStatements(ctx, { workspace, parameter }, topics, chunks),
    ],
    toRecords: (results: D1Result[]) => toRecords(results, chunks.length, forms),
  };
}

function toRecords([senders, ...others]: D1Result[], suppressionReads: number, forms: AddressForms): SendRecords {
  const senderRows = (senders?.results ?? []) as SenderRow[];
  const suppressed = others.slice(0, suppressionReads).flatMap(({ results }) => results as SuppressionRow[]);
  const suppressions = mergeForms(forms, suppressed).map(({ email, reason, unsubscribed_at }) => {
    return [email, { reason, isUnsubscribed: unsubscribed_at !== null }] as const;
  });
  return {
    senders: new Map(senderRows.map((row) => [row.address, row])),
    suppressed: new Map(suppressions),
    topics: toSendTopics(others.slice(suppressionReads), forms),
  };
}

/** Strength of a reason: one that stops more mail is greater. */
const strengthOf = (reason: SuppressionReason) => (reason === "unsubscribe" ? 0 : reason === "bounce" ? 1 : 2);

/** Returns one row for each address: of two forms the one with the stronger reason, unsubscribed when either is. */
function mergeForms(forms: AddressForms, rows: readonly SuppressionRow[]): SuppressionRow[] {
  const merged = new Map<string, SuppressionRow>();
  for (const row of forms.toRows(rows)) {
    const other = merged.get(row.email);
    if (!other) {
      merged.set(row.email, row);
      continue;
    }
    const stronger = strengthOf(other.reason) > strengthOf(row.reason) ? other : row;
    const isUnsubscribed = [row, other].some((one) => one.reason === "unsubscribe" || one.unsubscribed_at !== null);
    merged.set(row.email, { ...stronger, unsubscribed_at: isUnsubscribed ? 0 : null });
  }
  return [...merged.values()];
}

/** Returns the records of requests: those read with the credential when they cover the requests, else from one D1 batch. */
export async function findSendRecords(
  ctx: CallerCtx,
  requests: readonly Pick<ParsedRequest, "from" | "recipients" | "topic">[],
): Promise<SendRecords> {
  const senders = new Set(requests.flatMap(({ from }) => from?.key ?? []));
  const recipients = new Set(requests.flatMap((request) => request.recipients.map(({ key }) => key)));
  const topics = new Set(requests.flatMap(({ topic }) => topic ?? []));
  const early = earlyRecords.get(ctx);
  const isRead =
    early &&
    includesAll(early.read.senders, senders) &&
    includesAll(early.read.recipients, recipients) &&
    includesAll(early.read.topics, topics);
  if (isRead) return early;
  const { statements, toRecords } = reads(ctx, { senders, recipients, topics });
  return toRecords(await ctx.db.batch(statements("?1", ctx.workspace.number)));
}

const includesAll = <Key>(all: ReadonlySet<Key>, part: ReadonlySet<Key>) => [...part].every((key) => all.has(key));

/**
 * Returns the reads of a send or a batch for the D1 batch that finds the credential. `body` is JSON that was not
 * validated. The statements find the workspace by the hashes of the key, so they return rows of its workspace only.
 */
export function earlySendReads(ctx: Ctx, body: unknown) {
  const read = findAddresses(body);
  const templateIds = findTemplateIds(Array.isArray(body) ? body : [body]);
  const readsTemplates = templateIds.size > 0 && templateIds.size <= MAX_EARLY_TEMPLATES;
  const { statements, toRecords } = reads(ctx, read);
  return {
    statements: (keyHashes: string) => [
      ...statements(KEY_WORKSPACE, keyHashes),
      ...(readsTemplates ? [findTemplatesStatement(ctx, KEY_WORKSPACE, keyHashes, templateIds)] : []),
    ],
    toCaller: (results: D1Result[]) =>
      earlyRecords.put({
        ...toRecords(readsTemplates ? results.slice(0, -1) : results),
        read,
        templates: toTemplates(readsTemplates ? results.at(-1) : undefined),
      }),
  };
}

/**
 * Returns the reads of a send for the D1 batch that finds another credential than an API key. `workspace` is an SQL
 * expression of `?1`, to which `parameter` is bound: the number of the workspace.
 */
export function sendReads(
  ctx: Ctx,
  { workspace, parameter }: { workspace: string; parameter: string },
  read: Addresses,
) {
  const { statements, toRecords } = reads(ctx, read);
  return {
    statements: statements(workspace, parameter),
    toCaller: (results: D1Result[]) =>
      earlyRecords.put({ ...toRecords(results), read, templates: toTemplates(undefined) }),
  };
}

/** Returns the valid addresses of a send or a batch whose form was not checked. */
function findAddresses(body: unknown): Addresses {
  const items: unknown[] = Array.isArray(body) ? body : [body];
  const keysOf = (mailboxes: unknown[]) => mailboxes.flatMap((mailbox) => keyOf(property(mailbox, "email")) ?? []);
  const listOf = (item: unknown, name: string) => {
    const list = property(item, name);
    return Array.isArray(list) ? (list as unknown[]) : [];
  };
  return {
    senders: new Set(keysOf(items.map((item) => property(item, "from_")))),
    recipients: new Set(items.flatMap((item) => ["to", "cc", "bcc"].flatMap((name) => keysOf(listOf(item, name))))),
    topics: findTopicIds(items),
  };
}

/** Returns the ids of topics that a send or a batch names, whose form was not checked. */
function findTopicIds(items: readonly unknown[]): Set<TopicRef> {
  const ids = items.map((item) => property(item, "topic_id"));
  return new Set(ids.flatMap((id) => (typeof id === "string" ? (parseUuid(id) ?? []) : [])));
}

const property = (value: unknown, name: string) => (Object(value) as Record<string, unknown>)[name];

const keyOf = (address: unknown) => (typeof address === "string" ? (parseAddress(address)?.key ?? null) : null);

interface SenderRow extends SenderMailbox {
  mailbox_id: string;
}

/** The database rows that decide whether some requests may be sent. */
export interface SendRecords {
  /** By canonical address. */
  senders: ReadonlyMap<string, SenderRow>;
  /** By canonical address. */
  suppressed: ReadonlyMap<string, Suppression>;
  topics: SendTopics;
}

/** The row of a template of a send. `parts`: JSON list of the templates that it renders, or null. */
export type StoredTemplate = ContentColumns &
  Pick<TemplateContent, "language" | "subject"> & { id: string; parts: string | null };

/** Templates by id, as far as they were read. */
export type Templates = ReadonlyMap<string, StoredTemplate>;

/** Canonical addresses and topics whose rows are read. */
interface Addresses {
  senders: ReadonlySet<string>;
  recipients: ReadonlySet<string>;
  topics: ReadonlySet<TopicRef>;
}

/** Records that were read with the credential, and the addresses that they cover. */
type EarlySendRecords = SendRecords & { read: Addresses; templates: Templates };

/** The records that were read with the credential of the caller. */
export const earlyRecords = new EarlySlot<EarlySendRecords>();
