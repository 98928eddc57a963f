import type { MailCtx } from "../../platform/context.ts";
import { type ErasedPerson, Scrubber } from "../../sending/emails/index.ts";
import type { StepResult } from "./person-rows.ts";

/** Links of one statement; two statements read a step. */
const LINKS_PER_STATEMENT = 500;
/** Broadcasts of one step: most have a few links. */
const BROADCASTS_PER_STEP = 50;

/** A counted link, with broadcasts.n and the id of the broadcast. */
interface Link {
  n: number;
  broadcast: string;
  url: string;
}

// First the rest of the broadcast at which the last step ended, then the broadcasts after it.
const FIND_OF_ONE = `
  SELECT b.n, b.id AS broadcast, c.url FROM broadcasts b CROSS JOIN broadcast_clicks c ON c.broadcast = b.n
   WHERE b.workspace = ?1 AND b.id = ?2 AND c.url > ?3 ORDER BY c.url LIMIT ${LINKS_PER_STATEMENT}`;
const FIND_NEXT = `
  SELECT b.n, b.id AS broadcast, c.url FROM (
    SELECT n, id FROM broadcasts WHERE workspace = ?1 AND id > ?2 ORDER BY id LIMIT ${BROADCASTS_PER_STEP}) b
    CROSS JOIN broadcast_clicks c ON c.broadcast = b.n ORDER BY b.id, c.url LIMIT ${LINKS_PER_STATEMENT}`;
const FIND_LAST = `
  SELECT max(id) AS id, count(*) AS broadcasts FROM (
    SELECT id FROM broadcasts WHERE workspace = ?1 AND id > ?2 ORDER BY id LIMIT ${BROADCASTS_PER_STEP})`;

const ADD = `
  INSERT INTO broadcast_clicks (broadcast, url, workspace, clicks)
  SELECT c.broadcast, j.value->>'scrubbed', c.workspace, c.clicks FROM json_each(?1) j
    CROSS JOIN broadcast_clicks c ON c.broadcast = j.value->>'n' AND c.url = j.value->>'url'
   WHERE true
  ON CONFLICT DO UPDATE SET clicks = clicks + excluded.clicks`;
const DELETE =
  "DELETE FROM broadcast_clicks WHERE (broadcast, url) IN (SELECT value->>'n', value->>'url' FROM json_each(?1))";

/** Replaces an address in the counted links of up to 50 broadcasts; links that are the same then are summed. Safe to repeat. */
export async function scrubClicks(ctx: MailCtx, person: ErasedPerson, after: unknown): Promise<StepResult> {
  // After a link of a broadcast, by its id.
  const at = (after as Omit<Link, "n"> | null) ?? { broadcast: "", url: "" };
  const db = ctx.mail;
  const [left, next, [range]] = await db.listEach<[Link, Link, { id: string | null; broadcasts: number }]>([
    db.prepare(FIND_OF_ONE).bind(person.workspace, at.broadcast, at.url),
    db.prepare(FIND_NEXT).bind(person.workspace, at.broadcast),
    db.prepare(FIND_LAST).bind(person.workspace, at.broadcast),
  ]);
  const isOneDone = left.length < LINKS_PER_STATEMENT;
  const others = isOneDone ? next : [];
  const scrubber = new Scrubber(person.key);
  const changed = [...left, ...others].flatMap(({ n, url }) => {
    const scrubbed = scrubber.replace(url);
    return scrubbed === url ? [] : [{ n, url, scrubbed }];
  });
  if (changed.length > 0) {
    const rows = JSON.stringify(changed);
    await db.batch([db.prepare(ADD).bind(rows), db.prepare(DELETE).bind(rows)]);
  }
  const last = [...left, ...others].at(-1);
  const isMore = !isOneDone || others.length === LINKS_PER_STATEMENT;
  const end = range?.broadcasts === BROADCASTS_PER_STEP && range.id ? { broadcast: range.id, url: "" } : null;
  const position = isMore && last ? { broadcast: last.broadcast, url: last.url } : end;
  return { next: position && { after: position }, removed: { links: changed.length } };
}
