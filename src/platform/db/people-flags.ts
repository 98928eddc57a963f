/** Bits of `shard_workspaces.people`; `events` is also one of `workspaces.people` in the main database. */
export const peopleFlags = {
  /**
   * A further mail database of the workspace keeps activity, since it has not read from the first one whether that is needed. Then
   * `activity_since` decides, as in the first.
   */
  activityUnread: 1,
  /** The service records its events: an automation is active. */
  events: 2,
  /** Another mail database is the first of the workspace, so events are copied there. */
  elsewhere: 4,
  /** The bit `events` is set because it was not read from the main database yet. */
  unread: 8,
} as const;
