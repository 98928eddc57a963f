/** Categories, channels and limits of notifications (docs/contract/notifications.md#categories-and-channels). Pure. */

import { DAY_MS } from "../../lib/time.ts";

export const categories = ["alerts", "sends", "team"] as const;
export type Category = (typeof categories)[number];

/** `web` is the notification list. */
export const channels = ["web", "email", "slack"] as const;
export type Channel = (typeof channels)[number];

export const severities = ["info", "success", "warning", "error"] as const;

/** For each category, whether a user gets it by each channel. */
export type Preferences = Record<Category, Record<Channel, boolean>>;

/** Preferences of a user who has set none. Slack is posted to only where the workspace has set its URL. */
export const DEFAULT_PREFERENCES: Readonly<Preferences> = {
  alerts: { web: true, email: true, slack: true },
  sends: { web: true, email: false, slack: true },
  team: { web: true, email: false, slack: false },
};

/** Days that notifications are kept, read or not. */
export const NOTIFICATION_DAYS = 90;

/** Characters of a title and of a body that are stored; both may contain names that users chose. */
export const TITLE_CHARACTERS = 200;
export const BODY_CHARACTERS = 2_000;

/** Returns the key of an event about an object that notifies once a UTC day, for instance `webhook-failed <id>`. */
export function dailyKey(key: string, now: number): string {
  return `${key} ${new Date(Math.floor(now / DAY_MS) * DAY_MS).toISOString().slice(0, 10)}`;
}

/** Returns the preferences that a stored JSON object means: the default for each flag that it lacks. */
export function toPreferences(stored: string | null): Preferences {
  const flags = (stored === null ? {} : JSON.parse(stored)) as Partial<
    Record<Category, Partial<Record<Channel, boolean>>>
  >;
  return {
    alerts: { ...DEFAULT_PREFERENCES.alerts, ...flags.alerts },
    sends: { ...DEFAULT_PREFERENCES.sends, ...flags.sends },
    team: { ...DEFAULT_PREFERENCES.team, ...flags.team },
  };
}
