import { authenticate, type DMARCResult, dmarc as evaluateDmarc } from "mailauth";
import type { SMTPServerSession } from "smtp-server";
import { canonicalDomain } from "../src/lib/address-domain.ts";
import { parseMessage } from "../src/mail/messages/parse.ts";
import { bounds as messageBounds } from "../src/mail/messages/rules.ts";
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

/** The parts of a result of DMARC that are used. */
type Dmarc = Pick<DMARCResult, "domain" | "policy" | "info"> & { status: { result: string } };

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
    const checked = await authenticate(spool.read(), {
      sender,
      ip: session.remoteAddress,
      helo: String(session.hostNameAppearsAs || ""),
      mta: name,
      trustReceived: false,
      disableBimi: true,
      resolver: resolver as never,
    });
    const { headers, spf, dkim, arc } = checked;
    const dmarc = await dmarcOfShown(checked.dmarc, await shownDomain(spool), resolver);
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
    const shown = checked.dmarc === dmarc ? headers : withDmarc(headers, dmarc);
    return { results: shown.replace(/\r?\n/g, "\r\n").replace(/(?:\r\n)*$/, "\r\n"), authentication };
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

/** Returns the domain of the author that mailboxes show: empty for one without an address, null without an author. */
async function shownDomain(spool: Spool): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of spool.read()) {
    pieces.push(piece);
    size += piece.length;
    if (size >= messageBounds.headerBytes) break;
  }
  const { from } = parseMessage(Buffer.concat(pieces).subarray(0, messageBounds.headerBytes));
  return from?.email.split("@").at(-1) ?? null;
}

const canonical = (domain: string) => canonicalDomain(domain.replace(/\.$/, "")) ?? domain.toLowerCase();

/**
 * Returns the result of DMARC for the domain that is shown. Comments, several authors and several From fields can make mailauth judge
 * another domain, or none (RFC 9989 5.3.1): then nothing authenticates the shown one, and only its policy counts.
 */
async function dmarcOfShown(
  found: DMARCResult | false,
  domain: string | null,
  resolver: Resolver,
): Promise<Dmarc | false> {
  if (domain === null) return false;
  // People read the text of such a field as an address, and no domain answers for it: the policy is the gateway's.
  if (domain === "") return { status: { result: "fail" }, domain, policy: "quarantine", info: "dmarc=fail" };
  const judged = found ? found.status.header?.from : undefined;
  if (judged && canonical(judged) === canonical(domain)) return found;
  const headerFrom = `author@${canonical(domain)}`;
  return evaluateDmarc({ headerFrom, spfDomains: [], dkimDomains: [], resolver: resolver as never });
}

/** Replaces the result of DMARC in the fields of mailauth. */
function withDmarc(headers: string, dmarc: Dmarc | false): string {
  return headers.replace(/(?<=;\r?\n[ \t])dmarc=[^;]*?(?=;|\r?\n(?![ \t])|$)/g, () =>
    dmarc ? dmarc.info : "dmarc=none",
  );
}
