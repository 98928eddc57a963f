export { connectGateway } from "./connect.ts";
export { EventSockets } from "./sockets.ts";
