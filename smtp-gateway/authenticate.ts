import { authenticate } from "mailauth";
import type { SMTPServerSession } from "smtp-server";
import type { Resolver } from "./dns.ts";
import { log } from "./log.ts";
import type { Spool } from "./spool.ts";

/** Who receives the message, for its trace fields. */
interface Receiver {
  /** Host name of the gateway, which is the authserv-id (RFC 8601 2.5). */
  name: string;
  resolver: Resolver;
}

/** Results of the checks as the Worker stores them. */
interface Authentication {
  spf: string | null;
  dkim: string | null;
  dmarc: string | null;
  dmarc_policy: string | null;
}

/** What the gateway found about a message. */
export interface Checked {
  /** The fields to write before it: Authentication-Results, Received-SPF and Received. */
  trace: string;
  authentication: Authentication;
}

/**
 * Checks SPF, DKIM and DMARC of a message (RFC 7208, RFC 6376, RFC 7489) and returns the fields that record it (RFC 8601,
 * RFC 5321 4.4). A check that fails to run gives `temperror`, never a refusal.
 */
export async function checkMessage(session: SMTPServerSession, spool: Spool, receiver: Receiver): Promise<Checked> {
  const { mailFrom } = session.envelope;
  const { results, authentication } = await check(session, spool, receiver, mailFrom ? mailFrom.address : "");
  const helo = String(session.hostNameAppearsAs || "unknown").replace(/[^!-~]/g, "?");
  const from = session.remoteAddress.includes(":") ? `IPv6:${session.remoteAddress}` : session.remoteAddress;
  const received = [
    `Received: from ${helo} ([${from}])`,
    ` by ${receiver.name} with ${session.transmissionType} id ${session.id};`,
    ` ${new Date().toUTCString().replace("GMT", "+0000")}`,
  ].join("\r\n");
  return { trace: `${results}${received}\r\n`, authentication };
}

async function check(session: SMTPServerSession, spool: Spool, { name, resolver }: Receiver, sender: string) {
  try {
    const { headers, spf, dkim, dmarc } = await authenticate(spool.read(), {
      sender,
      ip: session.remoteAddress,
      helo: String(session.hostNameAppearsAs || ""),
      mta: name,
      trustReceived: false,
      disableBimi: true,
      resolver: resolver as never,
    });
    const signatures = dkim.results.map(({ status }) => status.result);
    const authentication: Authentication = {
      spf: spf ? spf.status.result : null,
      dkim: signatures.includes("pass") ? "pass" : (signatures[0] ?? "none"),
      dmarc: dmarc ? dmarc.status.result : null,
      dmarc_policy: dmarc ? dmarc.policy || null : null,
    };
    return { results: headers.replace(/\r?\n/g, "\r\n").replace(/(?:\r\n)*$/, "\r\n"), authentication };
  } catch (error) {
    log("authentication.failed", { connection: session.id, error: String(error) });
    const authentication = { spf: "temperror", dkim: "temperror", dmarc: "temperror", dmarc_policy: null };
    return {
      results: `Authentication-Results: ${name}; spf=temperror; dkim=temperror; dmarc=temperror\r\n`,
      authentication,
    };
  }
}
