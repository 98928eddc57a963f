/** The client without its sockets, which programs for Node import: index.ts needs those of Workers. */

export { toWireAddress } from "./addresses.ts";
export { smtpConnection } from "./connection.ts";
export { performHandshake } from "./handshake.ts";
export type { SmtpSocket, SocketReader, SocketWriter } from "./socket.ts";
export {
  ConnectError,
  type Connection,
  type OutgoingMessage,
  type RecipientResult,
  type Reply,
} from "./transport.ts";
