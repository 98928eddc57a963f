/**
 * The bit of `shard_workspaces.people` and of `workspaces.people` that is set while the service records events of the workspace: an
 * automation is active. The other bits are unused since each workspace has one mail database.
 */
export const RECORDS_EVENTS = 2;
