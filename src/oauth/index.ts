export { UNUSED_CLIENT_TTL_MS } from "./rules.ts";
