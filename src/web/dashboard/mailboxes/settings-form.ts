import { type FormValues, versionOf } from "../../../lib/form-version.ts";
import type { MailboxOut } from "../../../mailboxes/mailboxes/index.ts";

const BYTES_PER_MEGABYTE = 1_000_000;

/** The fields of the form of a mailbox, as they were filled in. */
export interface MailboxForm {
  display_name: string;
  /** Of managers only, as all below. Empty: no limit. */
  quota_megabytes: string;
  is_active: boolean;
  /** Of what the form began from. */
  version: string;
}

/** Reads the submitted form. */
export function readMailboxForm(form: URLSearchParams): MailboxForm {
  const field = (name: string) => form.get(name) ?? "";
  return {
    ...{ display_name: field("display_name"), quota_megabytes: field("quota_megabytes") },
    is_active: form.get("is_active") === "on",
    version: field("version"),
  };
}

/** Returns the form of what is stored, for a manager or for a member who changes the name only. */
export function toMailboxForm({ display_name, quota_bytes, is_active }: MailboxOut, isManager: boolean): MailboxForm {
  const form = {
    display_name: display_name ?? "",
    quota_megabytes: quota_bytes === null ? "" : String(quota_bytes / BYTES_PER_MEGABYTE),
    ...{ is_active, version: "" },
  };
  return { ...form, version: versionOf(valuesOf(form, isManager)) };
}

/** Returns what the form shows and changes, by label. */
export const valuesOf = (
  { display_name, quota_megabytes, is_active }: MailboxForm,
  isManager: boolean,
): FormValues => ({
  "Name of the sender": display_name,
  ...(isManager ? { "Quota in megabytes": quota_megabytes, Active: is_active ? "yes" : "no" } : {}),
});

/** Returns the body of the API call that saves the form. */
export const toMailboxRequest = ({ display_name, quota_megabytes, is_active }: MailboxForm, isManager: boolean) => ({
  display_name,
  ...(isManager
    ? {
        is_active,
        quota_bytes: quota_megabytes === "" ? null : Math.round(Number(quota_megabytes) * BYTES_PER_MEGABYTE),
      }
    : {}),
});
