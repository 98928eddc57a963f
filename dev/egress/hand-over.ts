import nodemailer from "nodemailer";
import { cacheReads } from "../dns/cached-read.ts";
import type { ListDomains } from "../dns/list-domains.ts";
import { HOST } from "../layout.ts";
import { deliveryReport } from "./delivery-report.ts";

/** How long the list of hosted domains is used, in ms. */
const CACHE_MS = 2_000;

interface SmtpError extends Error {
  responseCode?: number;
  response?: string;
}

/**
 * Returns a function that hands captured mail for domains of this service to its MX, as mail of the internet reaches it.
 * A refused recipient gets a delivery report to the return path, which comes back through the MX too.
 */
export function handOverHosted(port: number, listDomains: ListDomains) {
  const hosted = cacheReads(async () => new Set((await listDomains()).map(({ name }) => name)), CACHE_MS);
  const transport = nodemailer.createTransport({ host: HOST, port, ignoreTLS: true });
  const send = (from: string, to: string, raw: Buffer | string) => transport.sendMail({ envelope: { from, to }, raw });
  return async (envelope: { from: string; to: string[] }, raw: Buffer): Promise<void> => {
    const domains = await hosted.cached();
    for (const recipient of envelope.to) {
      if (!domains.has(recipient.slice(recipient.lastIndexOf("@") + 1).toLowerCase())) continue;
      try {
        await send(envelope.from, recipient, raw);
      } catch (error) {
        const { responseCode = 0, response = "" } = error as SmtpError;
        // Mail to a mailbox that cannot take it yet stays on the page of captured mail.
        if (responseCode < 500 || envelope.from === "") continue;
        await send("", envelope.from, deliveryReport({ to: envelope.from, recipient, response }));
      }
    }
  };
}
