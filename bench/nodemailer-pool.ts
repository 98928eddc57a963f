/** Child process of drain.ts: sends the same emails by nodemailer's pool, with four connections and DKIM. */
import nodemailer from "nodemailer";

process.once(
  "message",
  async ({ port, mails, text, key }: { port: number; mails: number; text: string; key: string }) => {
    const transport = nodemailer.createTransport({
      pool: true,
      host: "127.0.0.1",
      port,
      secure: false,
      ignoreTLS: true,
      maxConnections: 4,
      maxMessages: Number.POSITIVE_INFINITY,
      dkim: { domainName: "bench.example", keySelector: "bench", privateKey: key },
    });
    const mail = { from: "Bench <hello@bench.example>", to: "friend@example.org", subject: "A measured mail", text };
    const cpuBefore = process.cpuUsage();
    const start = performance.now();
    await Promise.all(Array.from({ length: mails }, () => transport.sendMail(mail)));
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpuBefore);
    transport.close();
    process.send?.({ seconds, cpu: (user + system) / 1000 });
    process.disconnect();
  },
);
