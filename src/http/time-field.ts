import { fromLocalMinute, toLocalMinute } from "../lib/local-time.ts";
import { iso } from "../lib/time.ts";

/**
 * Returns the time of a field in ISO 8601, in the zone of its form (`<name>_zone`); `stored` when unchanged, since the field has no
 * seconds. Empty for an empty field. A text that is no time, or has an unknown zone, stays as it is, so that the request is refused.
 */
export function readTime(form: URLSearchParams, name: string, stored = ""): string {
  const text = form.get(name) ?? "";
  const zone = form.get(`${name}_zone`) ?? "UTC";
  const at = fromLocalMinute(text, zone);
  if (at === null) return text === "" ? "" : `${text} ${zone}`;
  const known = new Date(stored);
  return !Number.isNaN(known.getTime()) && toLocalMinute(known, zone) === text ? stored : iso(at.getTime());
}
