/** Envelopes and messages for tests of the SMTP client. */

import type { Envelope, OutgoingMessage } from "../../src/mail/smtp/transport.ts";

const encoder = new TextEncoder();

/** Returns a message of these bytes (a string is encoded as UTF-8) that yields chunks of `chunk` bytes. */
export function messageOf(
  content: string | Uint8Array,
  options: Partial<OutgoingMessage> & { chunk?: number } = {},
): OutgoingMessage {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  const { chunk = bytes.length, ...rest } = options;
  return {
    size: bytes.length,
    needsSmtpUtf8: false,
    needs8BitMime: false,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
    },
    ...rest,
  };
}

/** Returns a plain message with this subject, about `size` bytes long. */
export function plainMail(subject: string, size = 200): OutgoingMessage {
  const head = `From: a@sender.test\r\nSubject: ${subject}\r\n\r\n`;
  const line = `${"x".repeat(70)}\r\n`;
  return messageOf(head + line.repeat(Math.max(1, Math.ceil((size - head.length) / line.length))));
}

/** Returns an envelope from a@sender.test to these addresses. */
export function envelopeTo(...addresses: string[]): Envelope {
  return { mailFrom: "a@sender.test", recipients: addresses.map((address) => ({ address })) };
}

/** Decodes bytes as Latin-1. */
export function latin1(bytes: Uint8Array | undefined): string {
  let text = "";
  for (const byte of bytes ?? []) text += String.fromCharCode(byte);
  return text;
}
