/** Composing in tests: a mail with nothing wrong, and what came of it. */

import { type Composable, type Composed, ComposeError, compose, octetsOf } from "../../src/mail/mime/index.ts";
import { inSteps } from "../host/support/hostile-mail.ts";
import { collected, readWithPostalMime } from "../host/support/read-back.ts";

export const ALL = { smtpUtf8: true, eightBitMime: true };
export const NONE = { smtpUtf8: false, eightBitMime: false };
export const text = new TextDecoder();

export function aMail(over: Partial<Composable> = {}): Composable {
  return {
    id: "01989a3e-5c1f-7000-8000-000000000001",
    messageId: "<01989a3e@x.test>",
    date: new Date("2026-11-21T01:43:05Z"),
    from: { email: "ann@x.test" },
    to: [{ email: "bob@y.test" }],
    cc: [],
    subject: "Hello",
    headers: [],
    text: "Hi",
    attachments: [],
    ...over,
  };
}

export function aFile(over: Partial<Composable["attachments"][number]> = {}, octets = Uint8Array.of(1, 2, 3)) {
  const file = { filename: "a.bin", contentType: "image/png", disposition: "attachment" as const, size: octets.length };
  return { ...file, open: () => inSteps(octets, 100), ...over };
}

export async function messageOf(composed: Composed): Promise<Uint8Array> {
  const head = octetsOf(`${composed.headers.map((h) => h.raw).join("")}\r\n`);
  const body = await collected(composed.body());
  const out = new Uint8Array(head.length + body.length);
  out.set(head);
  out.set(body, head.length);
  return out;
}

export async function read(over: Partial<Composable>, can = ALL) {
  return readWithPostalMime(await messageOf(compose(aMail(over), can)));
}

export function rawOf(over: Partial<Composable>, name: string, can = ALL): string {
  const fields = compose(aMail(over), can).headers.filter((h) => h.name.toLowerCase() === name.toLowerCase());
  return fields.map((h) => h.raw).join("");
}

export function codeOf(over: Partial<Composable>, can = ALL): string {
  try {
    compose(aMail(over), can);
  } catch (error) {
    if (error instanceof ComposeError) return error.code;
    throw error;
  }
  return "composed";
}

export async function bodyOf(over: Partial<Composable>): Promise<string> {
  return text.decode(await collected(compose(aMail(over), ALL).body()));
}
