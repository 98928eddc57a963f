import { ImapSyntaxError } from "../../src/mail/imap/cursor.ts";
import type { ByteQueue } from "./byte-queue.ts";
import type { Completion, Session } from "./session.ts";

/** Answers IDLE: tells changes until the client says DONE (RFC 2177). */
export async function runIdle(session: Session, bytes: ByteQueue): Promise<Completion> {
  session.writer.lines(["+ idling"]);
  const line = bytes.readLine(100);
  await session.tellUntil(line);
  if ((await line).toUpperCase() !== "DONE") throw new ImapSyntaxError("Expected DONE");
  return { text: "IDLE is complete" };
}
