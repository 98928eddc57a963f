import type { Ctx, MailCtx } from "../../platform/context.ts";
import { metadataSql } from "../../platform/db/contact-metadata.ts";
import { findSubscribedStatements } from "../../sending/topics/index.ts";
import { type Activity, activities, type References } from "./conditions.ts";
import type { Person, PersonContact } from "./evaluate.ts";

/** A contact as it is read. */
interface ContactRow {
  key: string;
  /** Null: its list was deleted. */
  list: string | null;
  id: string;
  email: string;
  name: string | null;
  metadata: string | null;
  createdAt: number;
  isPending: 0 | 1;
}

// The metadata is read only when a condition names a key of it, and only these keys.
const CONTACT_COLUMNS = `
  c.email_key AS key, l.id AS list, c.id, c.email, c.name, c.created_at AS createdAt, c.pending_since IS NOT NULL AS isPending,
  ${metadataSql("?3")} AS metadata`;

/** Lists of a person, the oldest first, and bytes of the named fields of their contacts that are read (docs/contract/segments.md#conditions). */
const PERSON_CONTACTS = 200;
const PERSON_BYTES = 1_000_000;

// In the order of the index contacts_by_email, of which no more is read.
const oldestOf = (workspace: string, key: string, columns: string) => `
  SELECT ${columns} FROM contacts c WHERE c.workspace = ${workspace} AND c.email_key = ${key} ORDER BY c.list LIMIT ${PERSON_CONTACTS}`;

const contactsOf = (key: string) => `contacts c ON c.n IN (
  SELECT n FROM (
    SELECT n, sum(octet_length(fields)) OVER (ORDER BY n) AS total FROM (${oldestOf("?1", key, `c.n, ${metadataSql("?3")} AS fields`)}))
   WHERE coalesce(total, 0) <= ${PERSON_BYTES})`;

/** Returns SQL of the bytes that reading a person costs at most. */
export const personBytesSql = (workspace: string, key: string) => `
  min(${PERSON_BYTES}, (SELECT coalesce(sum(bytes), 0) FROM (${oldestOf(workspace, key, "octet_length(c.metadata) AS bytes")})))`;

// A contact of a missing list is deleted soon.
const FIND_CONTACTS = `
  SELECT ${CONTACT_COLUMNS} FROM json_each(?2) j CROSS JOIN ${contactsOf("j.value")}
   CROSS JOIN contact_lists l ON l.n = c.list ORDER BY c.n`;

/** Contacts and bytes of metadata that a page reads, after one person at least: of these less with more than so many conditions. */
const CONTACTS_PER_PAGE = 5_000;
const METADATA_PER_PAGE = 4_000_000;
const CONDITIONS_PER_PAGE = 100;

// A contact of a missing list is read as well: a page of such contacts only is not the end.
const FIND_PAGE = `
  WITH people AS MATERIALIZED (
    SELECT email_key, min(count(*), ${PERSON_CONTACTS}) AS contacts,
           min(sum(CASE WHEN json_array_length(?3) > 0 THEN coalesce(octet_length(metadata), 0) ELSE 0 END), ${PERSON_BYTES}) AS size
      FROM contacts WHERE workspace = ?1 AND email_key > ?2 GROUP BY email_key ORDER BY email_key LIMIT ?4
  ), page AS MATERIALIZED (
    SELECT email_key, sum(contacts) OVER (ORDER BY email_key) - contacts AS contacts, sum(size) OVER (ORDER BY email_key) - size AS size
      FROM people)
  SELECT ${CONTACT_COLUMNS}, (SELECT count(*) FROM people) AS found
    FROM page CROSS JOIN ${contactsOf("page.email_key")}
    LEFT JOIN contact_lists l ON l.n = c.list
   WHERE page.contacts < ?5 AND page.size < ?6 ORDER BY page.email_key, c.n`;

const FIND_BROADCASTS = "SELECT n, id FROM broadcasts WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))";

const FIND_ACTIVITY = `
  SELECT a.email_key AS key, a.received_at AS received, a.opened_at AS opened, a.clicked_at AS clicked,
         iif(?3, a.broadcasts, NULL) AS broadcasts
    FROM json_each(?2) j CROSS JOIN person_activity a ON a.workspace = ?1 AND a.email_key = j.value`;

type BroadcastRow = { n: number; id: string };

type ActivityRow = Record<Activity, number | null> & { key: string; broadcasts: string | null };

/**
 * Returns the people with these canonical addresses, by address: what `references` name of them. An address without a contact has no
 * person. Makes at most three D1 calls, for up to 500 addresses. `ctx`: with the mail database of the workspace.
 */
export async function loadPeople(
  ctx: MailCtx,
  workspace: number,
  keys: readonly string[],
  references: References,
): Promise<Map<string, Person>> {
  if (keys.length === 0) return new Map();
  const fields = JSON.stringify(references.fields);
  const contacts = ctx.mail.prepare(FIND_CONTACTS).bind(workspace, JSON.stringify(keys), fields);
  const statements = [contacts, broadcastStatement(ctx, workspace, references)];
  return toPeople(ctx, workspace, references, await ctx.mail.listEach<[ContactRow, BroadcastRow]>(statements));
}

/** A page of the people of a workspace, in the order in which the database sorts their addresses. `last`: the address to continue after; null: none follows. */
export interface PeoplePage {
  people: Map<string, Person>;
  last: string | null;
  /** People of the page, those included whose only list is being deleted. */
  size: number;
}

/** Returns the next people, at most `limit` and fewer when they have many contacts or much metadata, of a workspace after an address, in as many D1 calls as `loadPeople`. */
export async function loadPeoplePage(
  ctx: MailCtx,
  workspace: number,
  { after, limit }: { after: string; limit: number },
  references: References,
): Promise<PeoplePage> {
  const db = ctx.mail;
  const fields = JSON.stringify(references.fields);
  const bytes = METADATA_PER_PAGE / Math.max(1, references.count / CONDITIONS_PER_PAGE);
  const [rows, broadcasts] = await db.listEach<[ContactRow & { found: number }, BroadcastRow]>([
    db.prepare(FIND_PAGE).bind(workspace, after, fields, limit, CONTACTS_PER_PAGE, bytes),
    broadcastStatement(ctx, workspace, references),
  ]);
  const size = new Set(rows.map(({ key }) => key)).size;
  const people = await toPeople(ctx, workspace, references, [rows, broadcasts]);
  const isEnd = size < limit && size === (rows[0]?.found ?? 0);
  return { people, size, last: isEnd ? null : (rows.at(-1)?.key ?? null) };
}

const broadcastStatement = (ctx: MailCtx, workspace: number, { broadcasts }: References) =>
  ctx.mail.prepare(FIND_BROADCASTS).bind(workspace, JSON.stringify(broadcasts));

/** Returns people from their contacts, with their topics and their activity. */
async function toPeople(
  ctx: MailCtx,
  workspace: number,
  references: References,
  [rows, broadcasts]: [readonly ContactRow[], readonly BroadcastRow[]],
): Promise<Map<string, Person>> {
  const contactsOf = Map.groupBy(rows.filter(hasList), ({ key }) => key);
  const keys = [...contactsOf.keys()];
  if (keys.length === 0) return new Map();
  const ids = new Map(broadcasts.map(({ n, id }) => [n, id]));
  const [topics, activity] = await Promise.all([
    findTopicsOf(ctx, workspace, references, keys),
    findActivityOf(ctx, workspace, references, keys),
  ]);
  return new Map(
    [...contactsOf].map(([key, contacts]) => {
      const person = {
        key,
        contacts: contacts.map(toContact),
        topics: new Set(topics.get(key) ?? []),
        ...toActivity(activity.get(key), ids),
      };
      return [key, person];
    }),
  );
}

const hasList = (row: ContactRow): row is ContactRow & { list: string } => row.list !== null;

const toContact = (row: ContactRow & { list: string }): PersonContact => {
  const { list, id, email, name, metadata, createdAt, isPending } = row;
  return {
    list,
    id,
    email,
    name,
    createdAt,
    isPending: isPending === 1,
    metadata: metadata === null ? {} : (JSON.parse(metadata) as Record<string, unknown>),
  };
};

/** Returns the topics that people are subscribed to, of those that the conditions name. */
async function findTopicsOf(ctx: Ctx, workspace: number, { topics }: References, keys: readonly string[]) {
  const statements = findSubscribedStatements(ctx, workspace, topics, keys);
  const rows = statements.length === 0 ? [] : await ctx.db.listEach<{ email: string; topic: string }[]>(statements);
  const of = Map.groupBy(rows.flat(), ({ email }) => email);
  return new Map([...of].map(([email, subscribed]) => [email, subscribed.map(({ topic }) => topic)]));
}

async function findActivityOf(
  ctx: MailCtx,
  workspace: number,
  { activity, broadcasts }: References,
  keys: readonly string[],
) {
  if (!activity) return new Map<string, ActivityRow>();
  const values = [workspace, JSON.stringify(keys), Number(broadcasts.length > 0)];
  const results = await ctx.mail.listRows<ActivityRow>(FIND_ACTIVITY, ...values);
  return new Map(results.map((row) => [row.key, row]));
}

function toActivity(row: ActivityRow | undefined, ids: ReadonlyMap<number, string>) {
  const activity: Partial<Record<Activity, number>> = {};
  const broadcasts = new Set<string>();
  if (!row) return { activity, broadcasts };
  for (const kind of activities) if (row[kind] !== null) activity[kind] = row[kind];
  for (const mark of Object.keys(JSON.parse(row.broadcasts ?? "{}") as object)) {
    const kind = activities.find((name) => name.startsWith(mark.slice(0, 1)));
    const id = ids.get(Number(mark.slice(1)));
    if (kind && id !== undefined) broadcasts.add(`${kind} ${id}`);
  }
  return { activity, broadcasts };
}
