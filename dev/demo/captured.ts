import PostalMime, { type Email } from "postal-mime";
import type { CapturedMail } from "../captured-mail/mail-store.ts";
import type { LocalService } from "../local-file.ts";

export interface ArrivedMail {
  id: string;
  from: string;
  to: string;
  subject: string;
  /** MAIL FROM of the envelope: the address that bounces are sent to. */
  returnPath: string;
  /** The first RCPT TO of the envelope. */
  recipient: string;
  /** The first line of the DKIM-Signature. */
  signature: string;
  text: string;
}

const NEWEST = 50;

/** Returns the captured mail with this Message-ID, parsed. Throws when it is missing or has no DKIM signature. */
export function findCaptured(local: LocalService, messageId: string): Promise<ArrivedMail> {
  return findNewest(local, `the Message-ID ${messageId}`, (mail) => mail.messageId === messageId);
}

/** Returns the newest captured mail to an address. Throws like `findCaptured`. */
export function findCapturedTo(local: LocalService, address: string): Promise<ArrivedMail> {
  return findNewest(local, `the recipient ${address}`, (mail) => mail.to?.[0]?.address === address);
}

async function findNewest(local: LocalService, what: string, isWanted: (mail: Email) => boolean): Promise<ArrivedMail> {
  const list = await fetch(`${local.captured_mail_url}/messages?limit=${NEWEST}`);
  for (const { id, from, to } of (await list.json()) as CapturedMail[]) {
    const raw = await (await fetch(`${local.captured_mail_url}/messages/${id}`)).text();
    const mail = await PostalMime.parse(raw);
    if (!isWanted(mail)) continue;
    const signature = raw.split("\r\n").find((line) => /^DKIM-Signature:/i.test(line));
    if (!signature) throw new Error("the captured mail has no DKIM-Signature header");
    const header = (name: string) => mail.headers.find((each) => each.key === name)?.value ?? "";
    return {
      id,
      signature,
      returnPath: from,
      recipient: to[0] ?? "",
      from: header("from"),
      to: header("to"),
      subject: mail.subject ?? "",
      text: mail.text ?? "",
    };
  }
  throw new Error(`no captured mail has ${what}`);
}
