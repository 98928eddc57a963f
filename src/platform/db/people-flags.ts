/**
 * The bit of `shard_workspaces.people` that is set while the service records all events of the workspace: an automation is active or
 * paused. The other bits are unused since each workspace has one mail database.
 */
export const RECORDS_EVENTS = 2;
