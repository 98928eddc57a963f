export { copySent } from "./sent-copies.ts";
export { stopSending } from "./stop-sending.ts";
