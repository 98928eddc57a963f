import { ImapSyntaxError } from "../../src/mail/imap/cursor.ts";
import type { ByteQueue } from "./byte-queue.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { CommandError } from "./command-error.ts";
import type { CommandOf, Completion, Session } from "./session.ts";
import type { WorkerMailboxes } from "./worker-mailboxes.ts";

/** The connection, as far as a login needs it. */
export interface LoginOptions {
  mailboxes: WorkerMailboxes;
  ip: string;
  /** Failed logins after which the connection ends. */
  failedLogins: number;
}

/** Bytes of a line of AUTHENTICATE. */
const MAX_RESPONSE = 4_096;

/** Answers LOGIN. */
export async function runLogin(
  session: Session,
  { username, password }: CommandOf<"LOGIN">,
  options: LoginOptions,
): Promise<Completion> {
  return await logIn(session, { username, password, authzid: "" }, options);
}

/** Answers AUTHENTICATE with PLAIN (RFC 4616), whose response may come with the command (RFC 4959). */
export async function runAuthenticate(
  session: Session,
  { mechanism, initial }: CommandOf<"AUTHENTICATE">,
  bytes: ByteQueue,
  options: LoginOptions,
): Promise<Completion> {
  requireTls(session);
  if (mechanism !== "PLAIN") throw new CommandError("The mechanism must be PLAIN", "CANNOT");
  if (initial === null) session.writer.lines(["+ "]);
  const response = initial ?? (await bytes.readLine(MAX_RESPONSE));
  if (response === "*") throw new ImapSyntaxError("The login was cancelled");
  const parts = Buffer.from(response, "base64").toString("utf8").split("\0");
  const [authzid = "", username = "", password = ""] = parts;
  if (parts.length !== 3) throw new ImapSyntaxError("The response of PLAIN is malformed");
  return await logIn(session, { username, password, authzid }, options);
}

async function logIn(
  session: Session,
  { username, password, authzid }: { username: string; password: string; authzid: string },
  { mailboxes, ip, failedLogins }: LoginOptions,
): Promise<Completion> {
  requireTls(session);
  // A mailbox acts as itself only (RFC 4616 2).
  if (authzid !== "" && authzid.toLowerCase() !== username.toLowerCase())
    throw new CommandError("The authorization identity must be empty or the username", "AUTHORIZATIONFAILED");
  try {
    session.enter(await mailboxes.logIn({ username, password, ip }));
  } catch (error) {
    session.failedLogins += 1;
    if (session.failedLogins >= failedLogins) session.end("Too many failed logins");
    throw error;
  }
  return { code: `CAPABILITY ${capabilitiesOf(session)}`, text: "Logged in" };
}

function requireTls(session: Session): void {
  if (!session.isSecure) throw new CommandError("Use STARTTLS first", "PRIVACYREQUIRED");
}
