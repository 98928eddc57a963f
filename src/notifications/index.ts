export { type Notice, notifyOwnersStatement } from "./notify-owners.ts";
