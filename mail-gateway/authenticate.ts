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

/** Results of the checks as the Worker stores them, in the words of RFC 8601. */
interface Authentication {
  spf: { result: string; domain: string | null } | null;
  dkim: { result: string; domain: string | null; selector: string | null }[];
  dmarc: { result: string; domain: string | null } | null;
  dmarc_policy: string | null;
  arc: string | null;
}

/** Results of the gateway's checks of a message. */
export interface Checked {
  /** The fields to write before it: Authentication-Results, Received-SPF and Received. */
  trace: string;
  authentication: Authentication;
}

/**
 * Checks SPF, DKIM and DMARC of a message (RFC 7208, RFC 6376, RFC 9989) and returns the fields that record it (RFC 8601,
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
    const { headers, spf, dkim, dmarc, arc } = await authenticate(spool.read(), {
      sender,
      ip: session.remoteAddress,
      helo: String(session.hostNameAppearsAs || ""),
      mta: name,
      trustReceived: false,
      disableBimi: true,
      resolver: resolver as never,
    });
    const authentication: Authentication = {
      spf: spf ? { result: spf.status.result, domain: spf.domain || null } : null,
      dkim: dkim.results.map(({ status, signingDomain, selector }) => ({
        result: status.result,
        domain: signingDomain || null,
        selector: selector || null,
      })),
      dmarc: dmarc ? { result: dmarc.status.result, domain: dmarc.domain || null } : null,
      dmarc_policy: dmarc ? dmarc.policy || null : null,
      arc: arc ? arc.status.result : null,
    };
    return { results: headers.replace(/\r?\n/g, "\r\n").replace(/(?:\r\n)*$/, "\r\n"), authentication };
  } catch (error) {
    log("authentication.failed", { connection: session.id, error: String(error) });
    const failed = { result: "temperror", domain: null };
    const authentication = { spf: failed, dkim: [], dmarc: failed, dmarc_policy: null, arc: null };
    return {
      results: `Authentication-Results: ${name}; spf=temperror; dkim=temperror; dmarc=temperror\r\n`,
      authentication,
    };
  }
}
