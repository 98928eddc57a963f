/** The calls with which a delivery sends emails, without its work: their signatures, and their bytes on the sockets. */

import { connect } from "cloudflare:sockets";
import { createHash } from "node:crypto";
import { createContext } from "../src/platform/context.ts";

/** As the run of a delivery has. */
const CONNECTIONS = 4;
const ENVELOPE = "MAIL FROM:<hello@bench.example> SIZE=1000\r\nRCPT TO:<friend@example.org>\r\nDATA\r\n";
/** Bytes of the fields that are signed. */
const SIGNED_BYTES = 800;
const [RSA, ED25519, HMAC] = ["RSASSA-PKCS1-v1_5", "Ed25519", "HMAC"];
const LF = 0x0a;

let keys: readonly CryptoKey[] = [];

/**
 * Makes the calls to WebCrypto and to the sockets with which a delivery sends `emails` emails of `bytes` bytes: both DKIM
 * signatures, the MAC of the return path, the hash of the body, and the content with the next envelope in one write. Nothing is
 * composed and no reply is read but for its line ends.
 */
export async function baselineSending(request: Request, env: Env): Promise<Response> {
  const { emails, bytes } = await request.json<{ emails: number; bytes: number }>();
  if (keys.length === 0) keys = await Promise.all([rsaKey(), ed25519Key(), hmacKey()]);
  const message = new TextEncoder().encode(`${`${"x".repeat(70)}\r\n`.repeat(Math.ceil(bytes / 72))}.\r\n`);
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sendOverOne(env, message, emails / CONNECTIONS)));
  return new Response();
}

async function sendOverOne(env: Env, message: Uint8Array, emails: number): Promise<void> {
  const { hostname, port } = new URL(createContext(env, "bench").settings.egressUrl ?? "");
  const socket = connect({ hostname, port: Number(port) });
  const writer = socket.writable.getWriter();
  const reader = socket.readable.getReader();
  await readLines(reader, 1);
  await writer.write(new TextEncoder().encode("HELO bench.example\r\n"));
  await readLines(reader, 1);
  await writer.write(new TextEncoder().encode(ENVELOPE));
  await readLines(reader, 3);
  for (let left = emails; left > 0; left--) {
    await sign(message);
    const next = new TextEncoder().encode(left === 1 ? "QUIT\r\n" : ENVELOPE);
    const bytes = new Uint8Array(message.length + next.length);
    bytes.set(message);
    bytes.set(next, message.length);
    void writer.write(bytes);
    await readLines(reader, left === 1 ? 2 : 4);
  }
  await socket.close();
}

/** Signs as a delivery does: the fields with each key, after the hash of the body, and the return path. */
async function sign(message: Uint8Array): Promise<void> {
  const [rsa, ed25519, hmac] = keys;
  if (!rsa || !ed25519 || !hmac) throw new Error("the keys are not made");
  createHash("sha256").update(message).digest();
  const fields = new Uint8Array(SIGNED_BYTES);
  await crypto.subtle.sign(HMAC, hmac, fields.subarray(0, 25));
  const digest = await crypto.subtle.digest("SHA-256", fields);
  await Promise.all([crypto.subtle.sign(RSA, rsa, fields), crypto.subtle.sign(ED25519, ed25519, digest)]);
}

async function readLines(reader: ReadableStreamDefaultReader<Uint8Array>, lines: number): Promise<void> {
  for (let left = lines; left > 0; ) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the sink closed the connection");
    for (const byte of value) if (byte === LF) left--;
  }
}

async function rsaKey(): Promise<CryptoKey> {
  const parameters = { name: RSA, hash: "SHA-256", modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) };
  return privateKeyOf(await crypto.subtle.generateKey(parameters, false, ["sign", "verify"]));
}

const ed25519Key = async () => privateKeyOf(await crypto.subtle.generateKey(ED25519, false, ["sign", "verify"]));

const hmacKey = () =>
  crypto.subtle.importKey("raw", new Uint8Array(32), { name: HMAC, hash: "SHA-256" }, false, ["sign"]);

function privateKeyOf(pair: CryptoKey | CryptoKeyPair): CryptoKey {
  if (!("privateKey" in pair)) throw new TypeError("the result is not a key pair");
  return pair.privateKey;
}
