export { isRestoring } from "./restores.ts";
export { resumeHeld } from "./resume-held.ts";
export type { StoreStatement } from "./stores.ts";
