export { type ApiResponse, callCloudflare } from "./request.ts";
