import type { SMTPServerDataStream, SMTPServerSession } from "smtp-server";
import type { Clock } from "./clock.ts";
import { Refusal } from "./errors.ts";
import { LineCheck } from "./line-check.ts";
import { closeAfterReply } from "./strict-server.ts";

/** Where the bytes of a message go. */
export interface DataTarget {
  write(bytes: Uint8Array): Promise<void>;
  /** Called instead of a further write, when the message is refused or the client is gone. */
  abort(): void;
}

/**
 * Reads a message to its end and writes it to the target. A message that is too large, too slow or has a wrong line end
 * is read on, since its client sends it on, but the target is aborted at once. Throws Refusal, or the error of a client
 * that closed its connection.
 */
export async function readData(
  stream: SMTPServerDataStream,
  target: DataTarget,
  { messageBytes, messageMs, clock }: { messageBytes: number; messageMs: number; clock: Clock },
  session: SMTPServerSession,
): Promise<void> {
  const lines = new LineCheck();
  const end = clock.elapsed() + messageMs;
  let size = 0;
  let refusal: Refusal | null = null;
  const refuse = (reply: string) => {
    refusal = new Refusal(reply);
    target.abort();
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (refusal) continue;
      size += chunk.length;
      lines.add(chunk);
      if (lines.issue !== null) {
        closeAfterReply(session);
        refuse(`554 5.6.0 The message contains a ${lines.issue}`);
      }
      if (refusal) continue;
      if (size > messageBytes) refuse(`552 5.3.4 The message is larger than ${messageBytes} bytes`);
      else if (clock.elapsed() > end) refuse("451 4.4.2 The message arrived too slowly");
      else await target.write(chunk);
    }
  } catch (error) {
    target.abort();
    throw error;
  }
  if (refusal) throw refusal;
}
