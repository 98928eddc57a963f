export { type Notice, type NoticeTask, notifyOwners, notifyOwnersStatements } from "./notify-owners.ts";
export {
  type Channel,
  categories,
  channels,
  DEFAULT_PREFERENCES,
  dailyKey,
  NOTIFICATION_DAYS,
  type Preferences,
  toPreferences,
} from "./rules.ts";
