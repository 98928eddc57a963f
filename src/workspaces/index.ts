export { newWorkspace, toSlug } from "./new-workspace.ts";
export { requireActiveWorkspace, requireAllDomains } from "./queries.ts";
export { SLACK_PURPOSE } from "./update.ts";
