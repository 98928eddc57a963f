export { purge } from "./run.ts";
