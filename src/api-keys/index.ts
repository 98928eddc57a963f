export { type ApiKeyRow, listApiKeys } from "./queries.ts";
