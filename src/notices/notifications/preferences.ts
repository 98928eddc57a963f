import type { CallerCtx } from "../../access/caller.ts";
import { type Preferences, toPreferences } from "./rules.ts";

/** Flags to change. What is left out keeps its value. */
export type PreferencesPatch = { [Category in keyof Preferences]?: Partial<Preferences[Category]> | undefined };

const FIND = "SELECT preferences FROM notification_preferences WHERE user_id = ?1";

// json_patch merges objects within the object.
const SAVE = `
  INSERT INTO notification_preferences (user_id, preferences) VALUES (?1, ?2)
  ON CONFLICT DO UPDATE SET preferences = json_patch(preferences, excluded.preferences) RETURNING preferences`;

/** Returns for each category by which channels the calling user is notified, in every workspace. */
export async function getPreferences({ db, actor }: CallerCtx): Promise<Preferences> {
  return toPreferences(await db.findValue<string>(FIND, actor.userId));
}

/** Changes flags of the calling user and returns all of them. Concurrent changes of different flags are all kept. */
export async function updatePreferences({ db, actor }: CallerCtx, patch: PreferencesPatch): Promise<Preferences> {
  return toPreferences(await db.findValue<string>(SAVE, actor.userId, JSON.stringify(patch)));
}
