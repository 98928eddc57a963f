export { isRestoring } from "./restores.ts";
export type { StoreStatement } from "./stores.ts";
