/** Submits the same messages to any SMTP server over implicit TLS with AUTH. */
import { SmtpClient } from "../../test/host/support/smtp-client.ts";

export interface Login {
  username: string;
  password: string;
}

/** A server that mail is submitted to. */
export interface Target {
  port: number;
  caFile: string;
  login: Login;
  sender: string;
}

/** How mail is submitted. */
export interface Load {
  connections: number;
  messages: number;
  /** Messages of a connection before another one is opened. */
  perConnection: number;
}

/** Submits messages over some connections at once. Throws unless each gets 250. Returns the seconds from first to last. */
export async function submitAll(target: Target, text: string, load: Load): Promise<number> {
  let next = 0;
  const start = performance.now();
  const work = Array.from({ length: load.connections }, async () => {
    while (next < load.messages) {
      const client = await connect(target);
      for (let sent = 0; sent < load.perConnection && next < load.messages; sent++) {
        await submit(client, target, message(target, `Message ${next++}`, text));
      }
      await client.command("QUIT");
      client.end();
    }
  });
  await Promise.all(work);
  return (performance.now() - start) / 1000;
}

/** Connects and logs in. */
export function connect({ port, caFile, login }: Target): Promise<SmtpClient> {
  return SmtpClient.loggedIn({ ports: { starttls: 0, implicit: port, mx: 0, health: 0 }, caFile, login });
}

/** Submits one message. Throws unless it gets 250. */
export async function submit(client: SmtpClient, { sender }: Target, bytes: string | Uint8Array): Promise<void> {
  const begun = await client.begin(sender, "friend@example.org");
  if (!begun.startsWith("354")) throw new Error(`DATA got the reply ${begun}`);
  client.write(bytes);
  const reply = await client.reply();
  if (!reply.startsWith("250")) throw new Error(`a message got the reply ${reply}`);
}

function message({ sender }: Target, subject: string, text: string): string {
  return `From: ${sender}\r\nTo: friend@example.org\r\nSubject: ${subject}\r\n\r\n${text.replaceAll("\n", "\r\n")}\r\n.\r\n`;
}
