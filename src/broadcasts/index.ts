export { cancelBroadcastsOfDomains, findBroadcastsInFlight } from "./of-domains.ts";
export { runBroadcasts } from "./run.ts";
