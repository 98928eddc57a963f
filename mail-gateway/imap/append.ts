import { CommandError } from "./command-error.ts";
import type { ReceivedCommand } from "./command-source.ts";
import type { CommandOf, Completion, Session } from "./session.ts";

/** Answers APPEND with the UID of the message (RFC 4315 3). */
export async function runAppend(
  session: Session,
  { folder, flags, date }: CommandOf<"APPEND">,
  { message }: ReceivedCommand,
): Promise<Completion> {
  if (!message) throw new CommandError("APPEND needs a message", null, "BAD");
  const { appendLimit } = session;
  const isTooLarge = message.size > appendLimit;
  const tooLarge = () => new CommandError(`A message has at most ${appendLimit} bytes`, "TOOBIG");
  // A client that waits is told before it sends the message.
  if (isTooLarge && !message.isSent) throw tooLarge();
  const bytes = message.read();
  try {
    if (isTooLarge) throw tooLarge();
    const { size } = message;
    const appended = await session.mailbox.append({ folder, flags, date, size }, bytes);
    await session.syncAdded(folder);
    return { code: `APPENDUID ${appended.uidvalidity} ${appended.uid}`, text: "APPEND is complete" };
  } finally {
    await message.end();
  }
}
