import { fromLocalMinute, toLocalMinute } from "../lib/local-time.ts";
import { iso } from "../lib/time.ts";

/**
 * Returns the time of a field for date and time in ISO 8601, read in the zone that its form names (`<name>_zone`; UTC without
 * one). `stored` is the time that the form has shown: the field has no seconds, so an unchanged one is that. Empty for an
 * empty field. A text that is no time, or a zone that is unknown, is returned as it is, so that the request is refused.
 */
export function readTime(form: URLSearchParams, name: string, stored = ""): string {
  const text = form.get(name) ?? "";
  const zone = form.get(`${name}_zone`) ?? "UTC";
  const at = fromLocalMinute(text, zone);
  if (at === null) return text === "" ? "" : `${text} ${zone}`;
  const known = new Date(stored);
  return !Number.isNaN(known.getTime()) && toLocalMinute(known, zone) === text ? stored : iso(at.getTime());
}
