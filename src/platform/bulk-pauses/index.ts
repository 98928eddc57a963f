export { isPausedSource, pausedSources } from "./rules.ts";
