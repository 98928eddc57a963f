export { advanceHosts, advanceHostsOf } from "./advance.ts";
export { mtaStsId } from "./mta-sts.ts";
export { belongsToHost } from "./owners.ts";
export { hostLabels } from "./rules.ts";
export { linkUrl, toHost } from "./serialize.ts";
export { hostStatements, removeHostsStatement } from "./statements.ts";
