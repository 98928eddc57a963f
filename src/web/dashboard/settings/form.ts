import type { WorkspaceRow } from "../../../identity/workspaces/index.ts";
import type { FormValues } from "../../../lib/form-version.ts";

/** The fields of the form of a workspace, as they were filled in. */
export interface SettingsForm {
  name: string;
  /** Values of `trackingOptions`. */
  opens: string;
  clicks: string;
  /** Digits; empty: the days of the deployment. */
  days: string;
  isPaused: boolean;
}

/** When opens or clicks are counted. */
export const trackingOptions = [
  { value: "", label: "In bulk emails only" },
  { value: "on", label: "In every email" },
  { value: "off", label: "Never" },
];

/** Returns a value of `trackingOptions` as the API has it. */
export const toTracking = (value: string) => (value === "on" ? true : value === "off" ? false : null);

const fromTracking = (value: boolean | null | undefined) => (value === true ? "on" : value === false ? "off" : "");
const labelOf = (value: string) => trackingOptions.find((option) => option.value === value)?.label ?? value;

/** Reads the submitted form. */
export function readSettingsForm(form: URLSearchParams): SettingsForm {
  const field = (name: string) => form.get(name) ?? "";
  return {
    name: field("name"),
    opens: field("tracking_opens"),
    clicks: field("tracking_clicks"),
    days: field("retention_days").trim(),
    isPaused: form.get("sending_paused") === "on",
  };
}

/** Returns the form of what is stored. */
export const toSettingsForm = ({ name, settings, sendingPausedAt }: WorkspaceRow): SettingsForm => ({
  name,
  opens: fromTracking(settings.tracking_opens),
  clicks: fromTracking(settings.tracking_clicks),
  days: settings.retention_days === undefined ? "" : String(settings.retention_days),
  isPaused: sendingPausedAt !== null,
});

/** Returns what the form shows and changes, by label. */
export const valuesOf = ({ name, opens, clicks, days, isPaused }: SettingsForm): FormValues => ({
  "Name of the workspace": name,
  "Count opens": labelOf(opens),
  "Count clicks": labelOf(clicks),
  "Days for which emails are kept": days,
  "Pause sending": isPaused ? "yes" : "no",
});
