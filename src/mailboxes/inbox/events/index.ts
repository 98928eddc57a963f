export { connectGateway } from "./connect.ts";
export { EventSockets } from "./sockets.ts";
export { toWatcher } from "./watchers.ts";
