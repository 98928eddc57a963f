/** A site with what surrounds it: DNS, an egress that keeps what leaves, and the MX. For stories from end to end. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import nodemailer, { type SendMailOptions } from "nodemailer";
import PostalMime, { type Email } from "postal-mime";
import { systemClock } from "../../../mail-gateway/clock.ts";
import { readConfig } from "../../../mail-gateway/config.ts";
import { startGateway } from "../../../mail-gateway/gateway.ts";
import { certificateFiles, eventually } from "./gateway-rig.ts";
import { openSite, type Site } from "./pages.ts";
import { GATEWAY_SECRET } from "./shared-service.ts";

const HOST = "127.0.0.1";

export type StorySite = Awaited<ReturnType<typeof startStorySite>>;

/** Opens a site with a gateway that takes mail from outside. */
export async function startStorySite(domain: string) {
  const directory = await mkdtemp(path.join(os.tmpdir(), "email-delivery-story-"));
  const site = await openSite(domain);
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
    mailTo: (address: string, subject: RegExp) => mailTo(site, address, subject),

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
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the newest message to an address whose subject matches, when it has left. */
export const mailTo = ({ left }: Pick<Site, "left">, address: string, subject = /./): Promise<Email> =>
  eventually(async () => {
    for (const { to, raw } of left.toReversed()) {
      if (to !== address) continue;
      const mail = await PostalMime.parse(Buffer.from(raw, "latin1"));
      if (subject.test(mail.subject ?? "")) return mail;
    }
    return undefined;
  });

/** Returns the path of the first link in the text of a message that matches. Throws without one. */
export function linkIn({ text = "", html = "" }: Pick<Email, "text" | "html">, kind: RegExp): string {
  const links = [...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<>]+/g)].map(([url]) => url.replaceAll("&amp;", "&"));
  const found = links.find((url) => kind.test(url));
  if (found === undefined) throw new Error(`no link matches ${kind} in: ${text}`);
  const { pathname, search } = new URL(found);
  return pathname + search;
}
