import type { Connection, Envelope, OutgoingMessage, RecipientResult } from "../../src/mail/smtp/transport.ts";
import type { Egress } from "../../src/sending/delivery/index.ts";

/** The extensions of an egress without a network. */
export const CAPABILITIES: Connection["capabilities"] = {
  smtpUtf8: true,
  eightBitMime: true,
  dsn: false,
  pipelining: true,
  lease: false,
  maxSize: null,
};

export const ACCEPTED: RecipientResult = {
  kind: "accepted",
  reply: { code: 250, enhanced: "2.0.0", text: "Ok" },
  dsnRequested: false,
};

interface Behaviour {
  /** Called before a connection opens. Throws when it does not. */
  onOpen?: () => void;
  /** Called with each message. Returns the result of its recipients; without one they are accepted. */
  onSend?: (envelope: Envelope, message: OutgoingMessage) => Promise<RecipientResult | undefined>;
  onClose?: () => Promise<void>;
  connections?: number;
}

/** Returns an egress without a network, for tests of what delivery writes. */
export function egressWithoutNetwork({ onOpen, onSend, onClose, connections = 4 }: Behaviour = {}): Egress {
  const connection: Connection = {
    capabilities: CAPABILITIES,
    usable: true,
    async send(envelope, message) {
      const result = (await onSend?.(envelope, message)) ?? ACCEPTED;
      return { recipients: envelope.recipients.map(() => result) };
    },
    async close() {
      await onClose?.();
    },
  };
  const open = async () => {
    onOpen?.();
    return connection;
  };
  return { relay: "egress.test", dsn: false, connections, transport: { open } };
}

/** An egress without a network that accepts every recipient. */
export const acceptingEgress: Egress = egressWithoutNetwork();
