export { releaseHeld } from "./release-held.ts";
export { isRestoring } from "./restores.ts";
export type { StoreStatement } from "./stores.ts";
