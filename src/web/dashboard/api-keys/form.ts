import { ApiKeyIn } from "../../../identity/api-keys/index.ts";
import { AppError } from "../../../lib/errors.ts";
import { DAY_MS, iso } from "../../../lib/time.ts";

/** Lifetimes that the form offers, in days. Empty: the key does not expire. */
export const lifetimes = [
  { value: "", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

/** The choice of what a key may do that the form offers first. */
export type Access = "sending" | "full" | "custom";

/** Scopes of each access; null: those that were chosen. */
const SCOPES: Readonly<Record<Access, readonly string[] | null>> = {
  sending: ["emails:send"],
  full: ["*"],
  custom: null,
};

/** Returns the request with the fields of a form. Throws 422. `now` in ms since 1970. */
export function toKeyRequest(fields: URLSearchParams, now: number): ApiKeyIn {
  const days = fields.get("days") ?? "";
  if (!lifetimes.some((lifetime) => lifetime.value === days)) throw new AppError(422, "Select when the key expires");
  const scopes = SCOPES[(fields.get("access") ?? "") as Access] ?? fields.getAll("scope");
  if (scopes.length === 0) throw new AppError(422, "Select at least one permission");
  const parsed = ApiKeyIn.safeParse({
    name: fields.get("name") ?? "",
    scopes,
    expires_at: days === "" ? null : iso(now + Number(days) * DAY_MS),
    ...(fields.has("domain") ? { domain_ids: fields.getAll("domain") } : {}),
  });
  if (parsed.success) return parsed.data;
  throw new AppError(422, parsed.error.issues.map(({ message }) => message).join("; "));
}
