/** A site with what surrounds it: DNS, an egress that keeps what leaves, and the MX. For stories from end to end. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import nodemailer, { type SendMailOptions } from "nodemailer";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { listDomains } from "../../../dev/dns/list-domains.ts";
import { startLocalDns } from "../../../dev/dns/local.ts";
import { systemClock } from "../../../mail-gateway/clock.ts";
import { readConfig } from "../../../mail-gateway/config.ts";
import { startGateway } from "../../../mail-gateway/gateway.ts";
import { certificateFiles, eventually, GATEWAY_SECRET } from "./gateway-rig.ts";
import { startSite } from "./pages.ts";

const HOST = "127.0.0.1";

/** A message that left through the egress. */
export interface LeftMail {
  to: string;
  raw: Buffer;
}

export type StorySite = Awaited<ReturnType<typeof startStorySite>>;

/** Starts a site that resolves DNS, sends and receives mail, and where everybody may sign up. */
export async function startStorySite() {
  const directory = await mkdtemp(path.join(os.tmpdir(), "email-delivery-story-"));
  const left: LeftMail[] = [];
  const egress = await startEgress(left);
  let api = { url: "", key: "" };
  const dns = await startLocalDns(0, () => listDomains(api.url, api.key));
  const site = await startSite({
    EGRESS_URL: `smtp://${HOST}:${egress.port}/?tls=off`,
    DNS_RESOLVER_URL: `http://${HOST}:${dns.port}/dns-query`,
    SYSTEM_MAILBOX: "hello@example.test",
    SIGN_UP: "open",
    GATEWAY_SECRET,
  });
  api = { url: `${site.host.url}/v1`, key: site.workspace.apiKey };
  const { variables } = await certificateFiles(path.join(directory, "certificates"));
  const gateway = await startGateway(
    readConfig({
      ...variables,
      ...{ GATEWAY_NAME: "mx.mail.test", GATEWAY_HOST: HOST, GATEWAY_SECRET, WORKER_URL: site.host.url },
      ...{ SUBMISSION_PORTS: "0", SUBMISSION_TLS_PORTS: "0", MX_PORTS: "0" },
    }),
    systemClock,
  );
  const mx = nodemailer.createTransport({ host: HOST, port: gateway.ports.mx[0] ?? 0, ignoreTLS: true });

  return {
    ...site,
    /** Messages that left through the egress, oldest first. */
    left,

    /** Returns the newest message to an address whose subject matches, when it has left. */
    mailTo: (address: string, subject: RegExp): Promise<Email> =>
      eventually(async () => {
        for (const { to, raw } of left.toReversed()) {
          if (to !== address) continue;
          const mail = await PostalMime.parse(raw);
          if (subject.test(mail.subject ?? "")) return mail;
        }
        return undefined;
      }),

    /** Sends a message to a hosted mailbox from outside. */
    async receive(mail: SendMailOptions): Promise<void> {
      await mx.sendMail(mail);
    },

    /** Moves the times of all transfers and their deadlines back, as if they had been made `ms` earlier, and runs cron. */
    async passTime(ms: number): Promise<void> {
      const { DB } = site.host.env;
      await DB.batch([
        DB.prepare(
          `UPDATE domain_transfers SET initiated_at = initiated_at - ?1, expires_at = expires_at - ?1,
             accepted_at = accepted_at - ?1, cooloff_until = cooloff_until - ?1`,
        ).bind(ms),
        DB.prepare("UPDATE outbox SET due_at = due_at - ?1 WHERE kind = 'transfer'").bind(ms),
      ]);
      await site.host.scheduled("* * * * *");
    },

    async stop(): Promise<void> {
      mx.close();
      await gateway.close();
      await site.stop();
      await dns.close();
      egress.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Starts an SMTP server that keeps every message, once for each recipient. */
async function startEgress(left: LeftMail[]): Promise<{ port: number; close(): void }> {
  const server = new SMTPServer({
    ...{ authOptional: true, disableReverseLookup: true, disabledCommands: ["STARTTLS", "AUTH"] },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks);
        left.push(...envelope.rcptTo.map(({ address }) => ({ to: address, raw })));
        done();
      });
    },
  });
  server.on("error", () => {
    // The Worker closed its connection when it stopped.
  });
  server.listen(0, HOST);
  await once(server.server, "listening");
  return { port: (server.server.address() as AddressInfo).port, close: () => server.close() };
}

/** Returns the path of the first link in the text of a message that matches. Throws without one. */
export function linkIn({ text = "", html = "" }: Pick<Email, "text" | "html">, kind: RegExp): string {
  const links = [...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<>]+/g)].map(([url]) => url.replaceAll("&amp;", "&"));
  const found = links.find((url) => kind.test(url));
  if (found === undefined) throw new Error(`no link matches ${kind} in: ${text}`);
  const { pathname, search } = new URL(found);
  return pathname + search;
}
