export { markAllRead, markRead } from "./mark-read.ts";
export { type Notice, type NoticeRef, notifyOwners, notifyOwnersStatements } from "./notify-owners.ts";
export { notifyWorkspaces } from "./notify-workspaces.ts";
export { getPreferences, updatePreferences } from "./preferences.ts";
export { listNotifications } from "./queries.ts";
export {
  type Category,
  type Channel,
  categories,
  channels,
  dailyKey,
  NOTIFICATION_DAYS,
  type Preferences,
  toPreferences,
} from "./rules.ts";
export { type NotificationOut, toNotification } from "./schema.ts";
