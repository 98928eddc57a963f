/** Bits of `shard_workspaces.people`; the first two are those of `workspaces.people` in the main database. */
export const peopleFlags = {
  /** Activity of persons is kept: the workspace has a segment or an automation. */
  activity: 1,
  /** The service records its events: an automation is active. */
  events: 2,
  /** Another mail database is the first of the workspace, so events are copied there. */
  elsewhere: 4,
  /** The first two bits are set because they were not read from the main database yet. */
  unread: 8,
} as const;

/** Bits that callers set and clear. */
export type PeopleFlags = typeof peopleFlags.activity | typeof peopleFlags.events | 3;
