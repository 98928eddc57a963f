export { copySent } from "./sent-copies.ts";
