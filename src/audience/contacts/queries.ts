import type { CallerCtx } from "../../access/caller.ts";
import { inUnicode } from "../../lib/address-domain.ts";
import { foldCase, lowerCaseAscii, parseAddress } from "../../lib/addresses.ts";
import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { contactLists, contacts } from "../../platform/db/schema/mail/index.ts";
import type { StoredRow } from "../../platform/db/stored-row.ts";
import { recordsEventsSql } from "../../platform/person-events/insert.ts";

export type ListRow = Omit<StoredRow<typeof contactLists>, "workspace">;

export type ContactRow = Omit<StoredRow<typeof contacts>, "n" | "workspace" | "list" | "email_key">;

export const LIST_COLUMNS =
  "n, id, name, description, icon_seed, contact_count, created_at, confirm, confirm_mailbox_id, confirm_subject, confirm_text";
export const CONTACT_COLUMNS =
  "id, email, name, metadata, suppressed, unsubscribed, soft_bounced, created_at, pending_since";

/** SQL expression of the number of a list of a workspace; null when it does not exist. */
const LIST_NUMBER = "(SELECT n FROM contact_lists WHERE workspace = ?1 AND id = ?2)";

/** Returns the id of a path in lower case. Throws 404 for text that is not a UUID. */
export const requireListId = (id: string): string => requireFound(parseUuid(id), "Contact list");

/** Returns a list of the caller's workspace. Throws 404. */
export async function getList(ctx: CallerCtx, id: string): Promise<ListRow> {
  const sql = `SELECT ${LIST_COLUMNS} FROM contact_lists WHERE workspace = ?1 AND id = ?2`;
  const row = await ctx.mail.findRow<ListRow>(sql, ctx.workspace.number, requireListId(id));
  return requireFound(row, "Contact list");
}

/** A contact before a change. */
export type ContactBefore = ContactRow & {
  email_key: string;
  /** 1: changes of its fields are recorded as events. */
  records_fields: 0 | 1;
};

const BEFORE_COLUMNS = `${CONTACT_COLUMNS}, email_key, ${recordsEventsSql("?1")} AS records_fields`;
const BEFORE = {
  id: `SELECT ${BEFORE_COLUMNS} FROM contacts WHERE list = ${LIST_NUMBER} AND id = ?3`,
  email_key: `SELECT ${BEFORE_COLUMNS} FROM contacts WHERE workspace = ?1 AND email_key = ?3 AND list = ${LIST_NUMBER}`,
} as const;

/** Returns a list and one of its contacts, by id or address, or null without it, in one D1 call. Throws 404 for the list. */
export async function getListAndContact(
  ctx: CallerCtx,
  listId: string,
  column: keyof typeof BEFORE,
  value: string,
): Promise<{ list: ListRow; before: ContactBefore | null }> {
  const db = ctx.mail;
  const key = [ctx.workspace.number, requireListId(listId)];
  const [[list], [before = null]] = await db.listEach<[ListRow, ContactBefore]>([
    db.prepare(`SELECT ${LIST_COLUMNS} FROM contact_lists WHERE workspace = ?1 AND id = ?2`).bind(...key),
    db.prepare(BEFORE[column]).bind(...key, value),
  ]);
  return { list: requireFound(list, "Contact list"), before };
}

/** Returns all lists of the caller's workspace, oldest first. A workspace has at most 10,000. */
export async function listLists(ctx: CallerCtx): Promise<ListRow[]> {
  const sql = `SELECT ${LIST_COLUMNS} FROM contact_lists WHERE workspace = ?1 ORDER BY id`;
  return ctx.mail.listRows<ListRow>(sql, ctx.workspace.number);
}

/** Returns a contact of a list of the caller's workspace. Throws 404 for the list or the contact. */
export async function getContact(ctx: CallerCtx, listId: string, id: string): Promise<ContactRow> {
  return requireFound((await getListAndContact(ctx, listId, "id", parseUuid(id) ?? "")).before, "Contact");
}

/** Contacts that a search reads. A `Link` header continues it. */
export const MAX_SCANNED = 10_000;

export interface ContactsQuery {
  page: number;
  limit: number;
  /** Id of the last contact of the page before. */
  after?: string | undefined;
  q?: string | undefined;
}

/** A page of contacts. `next` is the id to continue after; null at the end of the list. */
export interface ContactsPage {
  list: ListRow;
  contacts: ContactRow[];
  next: string | null;
}

const PAGE = `
  SELECT ${CONTACT_COLUMNS} FROM contacts WHERE list = ${LIST_NUMBER} AND id > ?3 ORDER BY id LIMIT ?4 OFFSET ?5`;

const BY_ADDRESS = `
  SELECT ${CONTACT_COLUMNS} FROM contacts
   WHERE workspace = ?1 AND email_key = ?3 AND list = ${LIST_NUMBER} AND id > ?4 LIMIT ?5 OFFSET ?6`;

// instr() on lower() folds the case of ASCII letters, like the search of emails.
const SEARCH = `
  SELECT ${CONTACT_COLUMNS} FROM (
    SELECT * FROM contacts WHERE list = ${LIST_NUMBER} AND id > ?3 ORDER BY id LIMIT ${MAX_SCANNED})
   WHERE instr(lower(email), ?4) OR instr(email_key, ?4) OR instr(lower(coalesce(name, '')), ?4)
   ORDER BY id LIMIT ?5 OFFSET ?6`;

// Contacts that a text beyond ASCII may be in, by their addresses and names alone: SQLite folds the case of ASCII letters only.
const CANDIDATES = `
  SELECT id, email, email_key, name FROM (
    SELECT id, email, email_key, name FROM contacts WHERE list = ${LIST_NUMBER} AND id > ?3 ORDER BY id LIMIT ${MAX_SCANNED})
   WHERE email GLOB '*[^ -~]*' OR name GLOB '*[^ -~]*' OR instr(email_key, 'xn--') ORDER BY id`;

const BY_IDS = `
  SELECT ${CONTACT_COLUMNS} FROM contacts
   WHERE list = ${LIST_NUMBER} AND id IN (SELECT value FROM json_each(?3)) ORDER BY id`;

const END_OF_SCAN = `
  SELECT id FROM contacts WHERE list = ${LIST_NUMBER} AND id > ?3 ORDER BY id LIMIT 1 OFFSET ${MAX_SCANNED - 1}`;

/**
 * Returns a list and one page of its contacts, oldest first, in one D1 call. `q` finds part of an address or name; a complete address finds
 * exactly its contact. The case of letters does not matter, in any script, and a domain is found in either spelling. A search reads at most
 * 10,000 contacts; `next` then continues it, also when it found nothing. One beyond ASCII takes a second D1 call. Throws 404.
 */
export async function listContacts(ctx: CallerCtx, listId: string, query: ContactsQuery): Promise<ContactsPage> {
  const db = ctx.mail;
  const key = [ctx.workspace.number, requireListId(listId)];
  const statements = contactStatements(query).map(({ sql, values }) => db.prepare(sql).bind(...key, ...values));
  const [[list], found, [endOfScan] = []] = await db.listEach<[ListRow, ContactRow & Candidate, { id: string }]>([
    db.prepare(`SELECT ${LIST_COLUMNS} FROM contact_lists WHERE workspace = ?1 AND id = ?2`).bind(...key),
    ...statements,
  ]);
  if (!list) throw notFound("Contact list");
  const rows = isBeyondAscii(query.q) ? await findMatching(ctx, key, query, found) : found;
  const contacts = rows.slice(0, query.limit);
  const next = rows.length > contacts.length ? contacts.at(-1)?.id : endOfScan?.id;
  return { list, contacts, next: next ?? null };
}

function contactStatements({ page, limit, after = "", q = "" }: ContactsQuery): { sql: string; values: unknown[] }[] {
  const range = [limit + 1, page * limit];
  const address = parseAddress(q);
  if (address) return [{ sql: BY_ADDRESS, values: [address.key, after, ...range] }];
  if (q === "") return [{ sql: PAGE, values: [after, ...range] }];
  if (isBeyondAscii(q))
    return [
      { sql: CANDIDATES, values: [after] },
      { sql: END_OF_SCAN, values: [after] },
    ];
  return [
    { sql: SEARCH, values: [after, lowerCaseAscii(q), ...range] },
    { sql: END_OF_SCAN, values: [after] },
  ];
}

type Candidate = Pick<ContactBefore, "id" | "email" | "email_key" | "name">;

/** True for a text of a search that SQLite cannot compare without case, unless it is a whole address. */
const isBeyondAscii = (q = "") => /[^ -~]/.test(q) && parseAddress(q) === null;

/** Returns the contacts of a page, and one more, whose name or address contains the text of a search in any case. */
async function findMatching(
  ctx: CallerCtx,
  key: readonly unknown[],
  { page, limit, q = "" }: ContactsQuery,
  candidates: readonly Candidate[],
): Promise<ContactRow[]> {
  const wanted = foldCase(q);
  const matching = candidates.filter(({ email, email_key, name }) =>
    [name ?? "", email, inUnicode(email_key)].some((text) => foldCase(text).includes(wanted)),
  );
  const ids = matching.slice(page * limit, (page + 1) * limit + 1).map(({ id }) => id);
  if (ids.length === 0) return [];
  return ctx.mail.listRows<ContactRow>(BY_IDS, ...key, JSON.stringify(ids));
}
