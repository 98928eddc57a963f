import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../mail-gateway/clock.ts";
import { readConfig } from "../../smtp-egress/config.ts";
import { startEgress } from "../../smtp-egress/egress.ts";
import type { MailStore } from "../captured-mail/mail-store.ts";
import { type Received, startInternet } from "../internet/index.ts";
import { HOST, type Layout } from "../layout.ts";
import { type Certificates, writeCertificateFiles } from "../state/certificates.ts";
import { EGRESS_USER, type Secrets } from "../state/secrets.ts";
import { failureReplies } from "./failure-addresses.ts";

export interface EgressOptions {
  layout: Layout;
  secrets: Secrets;
  certificates: Certificates;
  store: MailStore;
  /** Called with each stored message, after it is stored. */
  handOver: (envelope: { from: string; to: string[] }, raw: Buffer) => Promise<void>;
  /** Aborts when the service stops: messages that cannot be handed over any more stay in the store, without a word. */
  stopping: AbortSignal;
}

export interface LocalEgress {
  /** Starts the egress again. It measures its pace by the clock, which may have been set back. */
  restart(): Promise<void>;
  /** Resolves when all messages so far are handed over, or after HAND_OVER_MS. */
  handedOver(): Promise<unknown>;
  /** Returns what the egress holds to the Worker, and ends it. */
  close(): Promise<void>;
  /** Ends the mail systems and their DNS. */
  closeInternet(): Promise<void>;
}

const HAND_OVER_MS = 3_000;
const CLOSE_MS = 3_000;

/** Starts the SMTP egress, which delivers to a local internet whose mail systems store every message in the mail store. */
export async function startLocalEgress(options: EgressOptions): Promise<LocalEgress> {
  const { layout, secrets, certificates, store, handOver, stopping } = options;
  const inProgress = new Set<Promise<void>>();
  const keep = async ({ from, to, content }: Received) => {
    const raw = content ?? Buffer.alloc(0);
    await store.save({ from, to }, raw);
    const handingOver = handOver({ from, to }, raw)
      .catch((error) => {
        if (!stopping.aborted) console.error(`Cannot hand mail over to the MX: ${error}`);
      })
      .finally(() => inProgress.delete(handingOver));
    inProgress.add(handingOver);
  };
  const internet = await startInternet({
    keys: { key: certificates.key, cert: certificates.certificate },
    kept: "content",
    onMessage: keep,
    mailboxes: failureReplies,
  });
  const files = await writeCertificateFiles(layout.certificateDir, certificates);
  const config = readConfig({
    ...files,
    EGRESS_NAME: "egress.mail.test",
    EGRESS_HOST: HOST,
    EGRESS_PORTS: String(layout.ports.smtp),
    EGRESS_USER,
    EGRESS_PASSWORD: secrets.egress_password,
    GATEWAY_SECRET: secrets.gateway_secret,
    WORKER_URL: `http://${HOST}:${layout.ports.api}`,
    DNS_SERVERS: `${HOST}:${internet.dnsPort}`,
    DELIVERY_PORT: String(internet.smtpPort),
    ALLOW_PRIVATE_ADDRESSES: "on",
    LIMIT_CLOSE_MS: String(CLOSE_MS),
  });
  let egress = await startEgress(config, systemClock);
  return {
    async restart() {
      await egress.close();
      egress = await startEgress(config, systemClock);
    },
    handedOver: () => Promise.race([Promise.all(inProgress), sleep(HAND_OVER_MS, undefined, { ref: false })]),
    close: () => egress.close(),
    closeInternet: () => internet.close(),
  };
}
