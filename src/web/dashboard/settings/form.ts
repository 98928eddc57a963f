import type { WorkspacePatch, WorkspaceRow } from "../../../identity/workspaces/index.ts";
import type { FormValues } from "../../../lib/form-version.ts";

/** When opens or clicks are counted. */
export const trackingOptions = { "": "In bulk emails only", on: "In every email", off: "Never" };

/** Returns a setting as a value of `trackingOptions`. */
export const wordOf = (value: boolean | null | undefined) => (value === true ? "on" : value === false ? "off" : "");

const labelOf = (value: boolean | null | undefined) => trackingOptions[wordOf(value)];

/** Returns what the form shows of a stored workspace. */
export const toPatch = ({ name, settings, sendingPausedAt }: WorkspaceRow): WorkspacePatch => ({
  name,
  settings,
  sending_paused: sendingPausedAt !== null,
});

/** Returns what the form shows and changes, by label. */
export const valuesOf = ({ name = "", settings = {}, sending_paused }: WorkspacePatch): FormValues => ({
  "Name of the workspace": name,
  "Count opens": labelOf(settings.tracking_opens),
  "Count clicks": labelOf(settings.tracking_clicks),
  "Days for which emails are kept": String(settings.retention_days ?? ""),
  "Pause sending": sending_paused ? "yes" : "no",
});
