import { createHash } from "node:crypto";
import { AppError } from "./errors.ts";

/** The values that a form changes, by the labels of its fields. */
export type FormValues = Readonly<Record<string, string>>;

/** Signals that what a form changes is no longer what it began from. */
export class ChangedMeanwhileError extends AppError {
  /** Values that are stored now and differ from the form. */
  readonly stored: FormValues;
  /** Of all values that are stored now. */
  readonly version: string;

  constructor(stored: FormValues, version: string) {
    super(409, "This was changed after you opened it, in another tab or by another member");
    this.stored = stored;
    this.version = version;
  }
}

/** Returns the version of stored values, for a hidden field of their form. */
export const versionOf = (values: FormValues) =>
  createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 22);

/**
 * Throws ChangedMeanwhileError when a form did not begin from what is stored and would replace values that it does not show. A
 * form without a version, of a page before this one, passes.
 */
export function requireVersion(version: string, stored: FormValues, entered: FormValues): void {
  const current = versionOf(stored);
  if (version === "" || version === current) return;
  const changed = Object.entries(stored).filter(([label, value]) => value !== entered[label]);
  if (changed.length > 0) throw new ChangedMeanwhileError(Object.fromEntries(changed), current);
}
