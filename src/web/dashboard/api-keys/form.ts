import { ApiKeyIn } from "../../../identity/api-keys/index.ts";
import { DAY_MS, iso } from "../../../lib/time.ts";

/** Lifetimes that the form offers, in days. Empty: the key does not expire. */
export const lifetimes: readonly { days: string; label: string }[] = [
  { days: "", label: "Never" },
  { days: "30", label: "In 30 days" },
  { days: "90", label: "In 90 days" },
  { days: "365", label: "In a year" },
];

/** The choice of what a key may do that the form offers first. */
export type Access = "sending" | "full" | "custom";

/** The fields of the form that creates an API key, as they were filled in. */
export interface KeyForm {
  name: string;
  access: Access;
  /** Those of custom access. */
  scopes: readonly string[];
  /** Ids of the domains that the key is restricted to. None: all. */
  domainIds: readonly string[];
  /** One of `lifetimes`. */
  days: string;
  /** Generated with the form: a repeated submission creates no second key. */
  idempotencyKey: string;
}

/** Returns a form that was not filled in. */
export const emptyKeyForm = (): KeyForm => ({
  ...{ name: "", access: "sending", scopes: [], domainIds: [], days: "" },
  idempotencyKey: crypto.randomUUID(),
});

export function readKeyForm(form: URLSearchParams): KeyForm {
  return {
    name: form.get("name") ?? "",
    access: readAccess(form.get("access")),
    scopes: form.getAll("scope"),
    domainIds: form.getAll("domain"),
    days: form.get("days") ?? "",
    idempotencyKey: form.get("idempotency_key") ?? "",
  };
}

const readAccess = (text: string | null): Access => (text === "sending" || text === "full" ? text : "custom");

/** Scopes of each access; null: those that were chosen. */
const SCOPES: Readonly<Record<Access, readonly string[] | null>> = {
  sending: ["emails:send"],
  full: ["*"],
  custom: null,
};

/** Returns the request with the fields of a form, or why it is not valid. `now` in ms since 1970. */
export function toKeyRequest(form: KeyForm, now: number): { input: ApiKeyIn } | { error: string } {
  if (!lifetimes.some(({ days }) => days === form.days)) return { error: "Select when the key expires" };
  const scopes = SCOPES[form.access] ?? form.scopes;
  if (scopes.length === 0) return { error: "Select at least one permission" };
  const expiresAt = form.days === "" ? null : iso(now + Number(form.days) * DAY_MS);
  const parsed = ApiKeyIn.safeParse({
    ...{ name: form.name, scopes, expires_at: expiresAt },
    ...(form.domainIds.length === 0 ? {} : { domain_ids: form.domainIds }),
  });
  return parsed.success
    ? { input: parsed.data }
    : { error: parsed.error.issues.map(({ message }) => message).join("; ") };
}
