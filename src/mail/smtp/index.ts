export { type SmtpOptions, smtpTransport } from "./connect.ts";
export { EgressUrlError, parseEgressUrl } from "./egress-url.ts";
export {
  type Capabilities,
  ConnectError,
  type Connection,
  type Envelope,
  type OutgoingMessage,
  type RecipientResult,
  type Reply,
  type Transport,
} from "./transport.ts";
