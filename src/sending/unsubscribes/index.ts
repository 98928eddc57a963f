export { unsubscribeHeaders } from "./headers.ts";
export { unsubscribe } from "./unsubscribe.ts";
