import type { Connection } from "../../src/mail/smtp/transport.ts";
import type { Egress } from "../../src/sending/delivery/index.ts";

const open = async (): Promise<Connection> => ({
  capabilities: { smtpUtf8: true, eightBitMime: true, dsn: false, pipelining: true, lease: false, maxSize: null },
  usable: true,
  async send({ recipients }) {
    const reply = { code: 250, enhanced: "2.0.0", text: "Ok" };
    return { recipients: recipients.map(() => ({ kind: "accepted", reply, dsnRequested: false }) as const) };
  },
  async close() {},
});

/** An egress without a network that accepts every recipient, for tests of what delivery writes. */
export const acceptingEgress: Egress = { relay: "egress.test", dsn: false, connections: 4, transport: { open } };
