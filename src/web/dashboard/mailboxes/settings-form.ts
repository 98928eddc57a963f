import type { FormValues } from "../../../lib/form-version.ts";
import type { MailboxOut } from "../../../mailboxes/mailboxes/index.ts";

const BYTES_PER_MEGABYTE = 1_000_000;

/** The fields of the form of a mailbox, as they were filled in. */
export interface MailboxForm {
  display_name: string;
  /** Of managers only, as all below. Empty: no limit. */
  quota_megabytes: string;
  is_active: boolean;
}

/** Reads the submitted form. */
export function readMailboxForm(form: URLSearchParams): MailboxForm {
  const field = (name: string) => form.get(name) ?? "";
  return {
    display_name: field("display_name"),
    quota_megabytes: field("quota_megabytes"),
    is_active: form.get("is_active") === "on",
  };
}

/** Returns the form of what is stored. */
export const toMailboxForm = ({ display_name, quota_bytes, is_active }: MailboxOut): MailboxForm => ({
  display_name: display_name ?? "",
  quota_megabytes: quota_bytes === null ? "" : String(quota_bytes / BYTES_PER_MEGABYTE),
  is_active,
});

/** Returns what the form shows and changes, by label: of a manager, or of a member who changes the name only. */
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
