import type { FormValues } from "../../../lib/form-version.ts";
import type { MailboxPatch } from "../../../mailboxes/mailboxes/index.ts";

const BYTES_PER_MEGABYTE = 1_000_000;

/** Returns a quota as its field has it. Empty: no limit. */
export const toMegabytes = (bytes: number | null) => (bytes === null ? "" : String(bytes / BYTES_PER_MEGABYTE));

/** Reads the field of the quota. */
export function readQuota(form: URLSearchParams): number | null {
  const megabytes = form.get("quota_megabytes") ?? "";
  return megabytes === "" ? null : Math.round(Number(megabytes) * BYTES_PER_MEGABYTE);
}

/** Returns what the form shows and changes, by label: of a manager, or of a member who changes the name only. */
export const valuesOf = (
  { display_name, quota_bytes = null, is_active }: MailboxPatch,
  isManager: boolean,
): FormValues => ({
  "Name of the sender": display_name ?? "",
  ...(isManager ? { "Quota in megabytes": toMegabytes(quota_bytes), Active: is_active ? "yes" : "no" } : {}),
});
