import { vi } from "vitest";
import { budgetOf, type CountedTable } from "../../../../src/platform/budgets/spent.ts";
import { isSendRoute, requestPolicies, sendPolicies } from "../../../../src/platform/rate-limits/rules.ts";
import { database } from "../../../support/databases.ts";
import { byExtent } from "../../../support/extent.ts";
import { aSession } from "../../../support/sessions.ts";
import { aWorkspace, type TestWorkspace } from "../../../support/workspace.ts";
import type { Attack } from "./attack.ts";
import { measure, type Store, type Stored, stores } from "./measure.ts";

export const DAY_SECONDS = 86_400;
/** Time between two calls, in ms: about that of the rate of a workspace. */
const CALL_MS = 10;
/** Calls of an attack that has no number of its own. */
const CALLS = byExtent({ quick: 6, full: 8, long: 50 });
/** Calls after which the attack measures for the first time: what the first ones create does not grow with each call. */
const FIRST_CALLS = 2;

/** Statuses that end an attack, and the words of their limit: a conflict is no end. */
const REFUSALS: readonly number[] = [409, 413, 429, 507];
const LIMIT = /limit|at most|is full|retry in|Too many/;

/** Why a call was refused. */
interface Refusal {
  status: number;
  detail: string;
  /** Calls that its rate admits in a day; null when it is no rate. */
  callsPerDay: number | null;
}

/** The result of an attack. */
export interface Outcome {
  attack: Attack;
  /** Calls by status. */
  statuses: ReadonlyMap<number, number>;
  /** Calls that were not refused. */
  accepted: number;
  /** Why the last call was refused; null: it was not. */
  refusal: Refusal | null;
  /** Bytes of one accepted call in each store. */
  bytesPerCall: Record<Store, number>;
  /** Places that had more rows with each call, and the rows of one call. */
  grown: ReadonlyMap<string, number>;
  /** Calls that a day admits. */
  callsPerDay: number;
}

/**
 * Makes the calls of an attack in a new workspace, until one is refused. `between` runs after the first calls. Throws for an answer that
 * neither accepts nor refuses.
 */
export async function runAttack(attack: Attack, between: () => Promise<void>): Promise<Outcome> {
  const attacker = await aWorkspace();
  await lowerBudgets(attacker, attack.budgets ?? {});
  const call = await attack.prepare(attacker);
  const statuses = new Map<number, number>();
  const most = attack.calls ?? CALLS;
  let accepted = 0;
  let first: Stored | null = null;
  let refusal: Refusal | null = null;
  for (let n = 0; n < most && refusal === null; n++) {
    vi.setSystemTime(Date.now() + CALL_MS);
    const response = await call(n);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    refusal = await refusalOf(response);
    if (refusal === null) accepted++;
    if (accepted !== FIRST_CALLS || first !== null) continue;
    await between();
    await attack.finish?.(attacker);
    first = await measure(attacker);
  }
  if (first === null) throw new Error(`only ${accepted} calls were accepted: ${refusal?.detail}`);
  await attack.finish?.(attacker);
  const growth = growthOf(first, await measure(attacker), accepted - FIRST_CALLS);
  return {
    attack,
    statuses,
    accepted,
    refusal,
    ...growth,
    callsPerDay: refusal?.callsPerDay ?? callsOfLimits(attack, refusal, accepted),
  };
}

/** Lowers budgets of a workspace as the operator does. */
async function lowerBudgets({ workspaceId }: TestWorkspace, budgets: NonNullable<Attack["budgets"]>): Promise<void> {
  if (Object.keys(budgets).length === 0) return;
  const operator = await aWorkspace();
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [operator.userId]);
  const admin = await aSession(operator);
  for (const [of, rows] of Object.entries(budgets)) {
    const response = await admin.call("PUT", `/v1/admin/workspaces/${workspaceId}/budgets`, { of, rows });
    if (!response.ok) throw new Error(`${of}: ${response.status} ${await response.text()}`);
  }
}

/** Returns why a call was refused, or null for one that was accepted. Throws for another error. */
async function refusalOf(response: Response): Promise<Refusal | null> {
  const { status } = response;
  const text = await response.text();
  if (status < 400) return null;
  if (!REFUSALS.includes(status) || !LIMIT.test(text)) throw new Error(`${status} ${text}`);
  return { status, detail: detailOf(text), callsPerDay: callsOfPolicy(response) };
}

/** Returns the calls of a day: those of the budget that ended the attack, or of the rate of a workspace when nothing did. */
function callsOfLimits({ operation, requests = 1, budgets = {} }: Attack, refusal: Refusal | null, accepted: number) {
  const [table] = Object.keys(budgets) as CountedTable[];
  if (refusal !== null) return table === undefined ? accepted : budgetOf(table).rows;
  const { limit, windowSeconds } = (isSendRoute(operation) ? sendPolicies : requestPolicies).workspace;
  return ((limit / windowSeconds) * DAY_SECONDS) / requests;
}

/** Returns the calls that the limit of a 429 admits in a day, or null when there is none. */
function callsOfPolicy({ headers }: Response): number | null {
  const [, limit, seconds] = /;q=(\d+);w=(\d+)$/.exec(headers.get("RateLimit-Policy") ?? "") ?? [];
  return limit === undefined ? null : (Number(limit) / Number(seconds)) * DAY_SECONDS;
}

/** Returns what one call adds: bytes of each store, and rows of the places that have more of them than before. */
function growthOf(first: Stored, last: Stored, calls: number): Pick<Outcome, "bytesPerCall" | "grown"> {
  const perCall = (before = 0, after = 0) => (calls === 0 ? 0 : Math.max(0, after - before) / calls);
  const ofPlaces = [...last.rows].map(([place, rows]) => [place, perCall(first.rows.get(place), rows)] as const);
  const ofStores = stores.map((store) => [store, perCall(first.bytes[store], last.bytes[store])]);
  return {
    bytesPerCall: Object.fromEntries(ofStores) as Record<Store, number>,
    grown: new Map(ofPlaces.filter(([, rows]) => rows > 0)),
  };
}

/** Returns the text of a refusal, of which pages of HTML have none. */
const detailOf = (text: string): string => /"(?:detail|message)":\s*"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 200);
