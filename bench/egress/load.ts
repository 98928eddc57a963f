/** Hands emails to a server by SMTP, each over the next free of some connections that are kept. */
import { SmtpClient } from "../../test/host/support/smtp-client.ts";

/** Hands one email over and returns when the server has it. Throws when it does not take it. */
async function send(client: SmtpClient, to: string, content: string): Promise<void> {
  client.write(`MAIL FROM:<bounces@sender.test>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
  for (let n = 0; n < 3; n++) {
    const reply = await client.reply();
    if (!/^[23]/.test(reply)) throw new Error(reply);
  }
  const reply = await client.command(`${content}.`);
  if (!reply.startsWith("250")) throw new Error(reply);
}

/** Hands over all emails on so many connections. */
export async function submitTo(
  port: number,
  recipients: readonly string[],
  contentOf: (to: string) => string,
  connections: number,
): Promise<void> {
  const left = [...recipients].reverse();
  const one = async () => {
    const client = await SmtpClient.connect(port);
    await client.command("EHLO worker.test");
    for (let to = left.pop(); to !== undefined; to = left.pop()) await send(client, to, contentOf(to));
    client.end();
  };
  await Promise.all(Array.from({ length: connections }, one));
}
