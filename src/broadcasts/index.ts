export { runBroadcasts } from "./run.ts";
