export { EventSockets } from "./sockets.ts";
