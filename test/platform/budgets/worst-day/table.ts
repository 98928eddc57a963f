import { ownerOf } from "../../../../src/platform/budgets/budget.ts";
import { nameOf } from "./attack.ts";
import { measuredByCron } from "./known-growth.ts";
import { budgetOfPlace, type Store, stores } from "./measure.ts";
import type { Outcome } from "./run-attack.ts";

/** Rows or objects that a place may get in a day when a reason bounds it and not a budget: what a rate of calls admits is no bound. */
const BOUNDED_ROWS_PER_DAY = 1_000_000;

const ofDay = ({ bytesPerCall, callsPerDay }: Outcome, store: Store) => bytesPerCall[store] * callsPerDay;
const ofAll = (outcome: Outcome) => stores.reduce((sum, store) => sum + ofDay(outcome, store), 0);
const isBound = (place: string) => "bound" in budgetOfPlace(place);
/** The INSERT counts the rows of an owner that is no workspace, whose budget no operator changes. */
const isOfOtherOwner = (place: string) => {
  const budget = budgetOfPlace(place);
  return "rows" in budget && (place.startsWith("mailbox ") || ownerOf(budget).kind !== "workspace");
};

/** Returns the places that an attack grows as long as it goes on, without an end of their own. Those that the cron measures are left out. */
export function endlessPlaces(outcome: Outcome): string[] {
  if (outcome.refusal !== null) return [];
  const places = [...outcome.grown.keys()].filter((place) => !measuredByCron.includes(place) && !isOfOtherOwner(place));
  const unbounded = places.filter((place) => !isBound(place));
  const isMeasured = [...outcome.grown.keys()].some(
    (place) => place !== "main audit_log" && measuredByCron.includes(place),
  );
  if (unbounded.length > 0 || isMeasured) return unbounded;
  // A mailbox has an object of its own, which it alone can fill.
  return places.filter((place) => !place.startsWith("mailbox ") && rowsOfDay(outcome, place) > BOUNDED_ROWS_PER_DAY);
}

const rowsOfDay = ({ grown, callsPerDay }: Outcome, place: string) => (grown.get(place) ?? 0) * callsPerDay;

const endOf = (outcome: Outcome): string => {
  const { refusal, grown } = outcome;
  if (refusal !== null) return `${refusal.status} ${refusal.detail}`;
  if (endlessPlaces(outcome).length > 0) return `NONE: ${endlessPlaces(outcome).join(", ")}`;
  const measured = [...grown.keys()].filter((place) => measuredByCron.includes(place));
  if (measured.length > 0) return `cron: ${measured.join(", ")}`;
  return grown.size === 0 ? "nothing grows" : `bound: ${[...grown.keys()].join(", ")}`;
};

const bytes = (value: number): string => {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const unit = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${(value / 1_000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
};

const HEADER = [
  "operation",
  "calls by status",
  ...stores.map((store) => `${store} a call`),
  "calls a day",
  "bytes a day",
  "ended by",
];

/** Returns the table of the worst day in Markdown, with the greatest growth first. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes
    .toSorted((a, b) => ofAll(b) - ofAll(a))
    .map((outcome) => [
      nameOf(outcome.attack),
      [...outcome.statuses].map(([status, calls]) => `${calls} x ${status}`).join(", "),
      ...stores.map((store) => bytes(outcome.bytesPerCall[store])),
      Math.round(outcome.callsPerDay).toLocaleString("en"),
      bytes(ofAll(outcome)),
      endOf(outcome),
    ]);
  return [HEADER, HEADER.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
