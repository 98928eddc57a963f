export { HAS_AUTOMATION_WORK_SQL, releaseEngineLease } from "./lease.ts";
export { readPeople } from "./people.ts";
export { runAutomations } from "./run.ts";
export { findWorkspaces } from "./workspaces.ts";
