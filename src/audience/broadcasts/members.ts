import { nextTurn } from "../../lib/yielding-steps.ts";
import type { MailCtx } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { mayExecute } from "../../platform/db/count-statements.ts";
import type { Person } from "../conditions/index.ts";
import { evaluatePage, findSegment, segmentLimits, toEvaluator } from "../segments/index.ts";
import { saveStatement } from "./create-emails.ts";
import { type FanOut, type SegmentMembers, waitsForWinner } from "./fan-out.ts";
import { type Broadcast, type BroadcastRow, listIdsOf } from "./queries.ts";
import { limits } from "./rules.ts";

/** D1 statements of one page of people at most. */
const PAGE_STATEMENTS = 40;
/** Members that one statement deletes. */
const MEMBERS_PER_DELETE = 5_000;

// Of the contacts of a person, the first that existed at the send. CROSS JOIN: of a list that was deleted, no contact is read.
const INSERT = `
  INSERT OR IGNORE INTO broadcast_members (broadcast, contact, workspace)
  SELECT ?1, n, ?2 FROM (
    SELECT c.n, row_number() OVER (PARTITION BY j.value->>'person' ORDER BY j.key) AS place
      FROM json_each(?3) j CROSS JOIN contact_lists l ON l.workspace = ?2 AND l.id = j.value->>'list'
      CROSS JOIN contacts c ON c.list = l.n AND c.id = j.value->>'id' WHERE c.n <= ?4)
   WHERE place = 1`;

/**
 * Stores who gets a broadcast to a segment, page after page of the people of the workspace, each with the progress in one transaction:
 * whenever a run is killed, a page of people is stored and passed, or neither. Gives way to requests before each page. Ends at `until`
 * (milliseconds since 1970), or when another run was first. Returns why the broadcast cannot go on, or null.
 */
export async function storeMembers(
  ctx: MailCtx,
  { row }: Pick<Broadcast, "row">,
  fanOut: FanOut & { segment: SegmentMembers },
  until: number,
): Promise<string | null> {
  const segment = await findSegment(ctx, row.workspace, fanOut.segment.id);
  if (segment === null) return WITHOUT_SEGMENT;
  const evaluator = await toEvaluator(ctx, row.workspace, segment.conditions, fanOut.segment.at);
  let [current, state] = [row, fanOut];
  try {
    while (state.segment.after !== null) {
      await nextTurn();
      const page = { after: state.segment.after, limit: segmentLimits.peoplePerPage };
      const { matching, last } = await evaluatePage(ctx, row.workspace, evaluator, page);
      const people = matching.map((person) => candidatesOf(person, listIdsOf(row))).filter(({ length }) => length > 0);
      const members = state.segment.members + people.length;
      if (members > limits.audience) return TOO_MANY;
      state = { ...state, segment: { ...state.segment, after: last, members } };
      await guardedBatch(ctx.mail, [
        saveStatement(ctx, current, state),
        expectChanges(ctx.mail, 1),
        insertStatement(ctx, row, people, fanOut.lastContact),
      ]);
      current = { ...current, fan_out_step: current.fan_out_step + 1 };
      if (ctx.now() >= until || !mayExecute(ctx, PAGE_STATEMENTS)) break;
    }
  } catch (error) {
    // Another run was first, or the broadcast was cancelled: its row says what to do.
    if (!(error instanceof ConcurrencyError)) throw error;
  }
  return null;
}

const WITHOUT_SEGMENT = "Its segment was deleted before its people were read.";
const TOO_MANY = `Its segment has more than ${limits.audience.toLocaleString("en")} people, which is the limit of one send.`;

/** Returns the contacts that a person may be mailed as, best first: by the order of the lists; without lists, active ones first, oldest first. */
function candidatesOf({ contacts }: Pick<Person, "contacts">, lists: readonly string[]) {
  if (lists.length === 0) return contacts.toSorted((a, b) => Number(a.isPending) - Number(b.isPending));
  return lists.flatMap((list) => contacts.filter((contact) => contact.list === list));
}

function insertStatement(
  ctx: MailCtx,
  { n, workspace }: BroadcastRow,
  people: readonly ReturnType<typeof candidatesOf>[],
  lastContact: number,
) {
  const candidates = people.flatMap((contacts, person) => contacts.map(({ list, id }) => ({ person, list, id })));
  return ctx.mail.prepare(INSERT).bind(n, workspace, JSON.stringify(candidates), lastContact);
}

const DELETE = `
  DELETE FROM broadcast_members WHERE broadcast = ?1 AND contact IN (
    SELECT contact FROM broadcast_members WHERE broadcast = ?1 LIMIT ?2)`;

/**
 * Deletes the members of a broadcast that mails no further ones, page after page. Returns false when the run must end before the last.
 * Those of a sample that waits for its winner stay.
 */
export async function deleteMembers(
  ctx: MailCtx,
  { row, fanOut }: Pick<Broadcast, "row" | "fanOut">,
): Promise<boolean> {
  if (!fanOut?.segment || (row.status !== "cancelled" && waitsForWinner(fanOut))) return true;
  for (;;) {
    const { meta } = await ctx.mail.execute(DELETE, row.n, MEMBERS_PER_DELETE);
    if (meta.changes < MEMBERS_PER_DELETE) return true;
    if (!mayExecute(ctx, PAGE_STATEMENTS)) return false;
    await nextTurn();
  }
}
