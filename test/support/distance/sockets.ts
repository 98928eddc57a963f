/** `cloudflare:sockets` with sockets that count as connections of their invocation while they are open. */
import { connect as connectSocket } from "cloudflare:sockets";
import { currentInvocation } from "./invocation.ts";

export const connect: typeof connectSocket = (...args) => {
  const socket = connectSocket(...args);
  currentInvocation()?.hold(socket.closed);
  return socket;
};
