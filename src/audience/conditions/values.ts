import { iso, parseIso } from "../../lib/time.ts";
import { limits, type Scalar, type ValueTest } from "./conditions.ts";

/** Comparisons of values of metadata and of the data of events (docs/contract/segments.md#values). Pure. */

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** Returns a number, or the number that a text is in decimal digits, or null: an import of CSV stores texts only. */
function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !DECIMAL.test(value.trim())) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}T[^Z+-]*$/i;

/**
 * Returns the time of a text such as `2026-11-26` or `2026-11-26T14:00:00+01:00`, in milliseconds since 1970, or null. A date is its
 * first moment, and a time without zone is in UTC: never in the zone of the machine.
 */
function timeOf(value: unknown): number | null {
  if (typeof value !== "string") return null;
  const text = value.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, "$1T");
  if (DATE.test(text)) return parseIso(`${text}T00:00:00Z`);
  return parseIso(WITHOUT_ZONE.test(text) ? `${text}Z` : text);
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** Texts as they are compared, by the texts of a person: a hundred conditions may read each. */
export type ComparedTexts = Map<string, string>;

function textOf(value: Scalar, known?: ComparedTexts): string {
  const text = String(value);
  const compared = known?.get(text) ?? text.normalize("NFC").toLowerCase();
  known?.set(text, compared);
  return compared;
}

/** Returns whether a value of metadata is the wanted one. Texts are compared without letter case; `"12"` is 12 and `"true"` is true. */
function isEqual(value: unknown, wanted: Scalar, known?: ComparedTexts): boolean {
  if (!isScalar(value)) return false;
  return typeof wanted === "number" ? numberOf(value) === wanted : textOf(value, known) === textOf(wanted);
}

/** Returns whether a value passes a test. A value of another kind than the test needs does not. */
export function testValue(value: unknown, { is, value: wanted }: ValueTest, known?: ComparedTexts): boolean {
  const isThere = value !== undefined && value !== null && value !== "";
  if (is === "exists") return isThere;
  if (is === "missing") return !isThere;
  if (is === "not_equals") return !testValue(value, { is: "equals", value: wanted }, known);
  if (!isThere || wanted === undefined) return false;
  switch (is) {
    case "equals":
      return isEqual(value, wanted, known);
    case "contains":
      if (Array.isArray(value)) return value.some((item) => isEqual(item, wanted, known));
      return isScalar(value) && textOf(value, known).includes(textOf(wanted));
    case "before":
    case "after":
      return isOrdered(timeOf(value), timeOf(wanted), is === "before");
    default:
      return isOrdered(numberOf(value), numberOf(wanted), is === "less");
  }
}

/** Returns whether a value is the same as another, as `equals` compares them. */
export const isSame = (value: unknown, other: unknown): boolean =>
  isScalar(other) && testValue(value, { is: "equals", value: other });

function isOrdered(value: number | null, limit: number | null, isLess: boolean): boolean {
  if (value === null || limit === null) return false;
  return isLess ? value < limit : value > limit;
}

/** Returns why no value can pass a test, for a person who writes it, or null. */
export function testIssue({ is, value }: ValueTest): string | null {
  if (is === "exists" || is === "missing" || is === "same") return value === undefined ? null : `${is} takes no value`;
  if (value === undefined) return "value is required with this comparison";
  if ((is === "greater" || is === "less") && numberOf(value) === null) return `value must be a number to be ${is}`;
  if ((is === "before" || is === "after") && timeOf(value) === null)
    return `value must be a date such as ${iso(0).slice(0, 10)}, or a time such as ${iso(0)}`;
  if (is === "contains" && String(value).length > limits.containedCharacters)
    return `contains takes at most ${limits.containedCharacters} characters`;
  return value === "" ? "value must not be empty; use exists or missing" : null;
}
