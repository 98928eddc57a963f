/** AUTH PLAIN and LOGIN (RFC 4954, RFC 4616). The egress URL parser lets credentials through on TLS, or on an explicit tls=off. */

import { ask, demand } from "./ask.ts";
import type { ServerCapabilities } from "./capabilities.ts";
import type { Conversation } from "./conversation.ts";
import type { RawReply } from "./replies.ts";
import { ConnectError } from "./transport.ts";

export interface Credentials {
  username: string;
  password: string;
}

/** RFC 5321 4.5.3.1.4: a command line has at most 512 octets; a longer response follows its 334. */
const LINE_MAX_OCTETS = 510;

/** Logs in with the best mechanism offered. Throws ConnectError in phase `auth`; no message repeats a secret. */
export async function authenticate(
  conversation: Conversation,
  server: ServerCapabilities,
  credentials: Credentials,
  replyMs: number,
): Promise<void> {
  const say = (line: string) => ask(conversation, "auth", line, replyMs);
  if (server.auth.has("PLAIN")) return plain(say, credentials);
  if (server.auth.has("LOGIN")) return login(say, credentials);
  throw new ConnectError("auth", null, "the server offers neither AUTH PLAIN nor AUTH LOGIN");
}

async function plain(say: (line: string) => Promise<RawReply>, { username, password }: Credentials): Promise<void> {
  const response = base64(`\0${username}\0${password}`);
  const line = `AUTH PLAIN ${response}`;
  if (line.length <= LINE_MAX_OCTETS) {
    demand("auth", await say(line));
    return;
  }
  challenge(await say("AUTH PLAIN"));
  demand("auth", await say(response));
}

async function login(say: (line: string) => Promise<RawReply>, { username, password }: Credentials): Promise<void> {
  challenge(await say("AUTH LOGIN"));
  challenge(await say(base64(username)));
  demand("auth", await say(base64(password)));
}

function challenge(reply: RawReply): void {
  if (reply.code === 334) return;
  demand("auth", reply);
  throw new ConnectError("auth", null, "the server said yes before it had the password");
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
