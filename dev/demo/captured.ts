import PostalMime from "postal-mime";
import type { CapturedMail } from "../captured-mail/mail-store.ts";
import type { LocalService } from "../local-file.ts";

interface Arrived {
  id: string;
  from: string;
  to: string;
  subject: string;
  /** The first line of the DKIM-Signature. */
  signature: string;
  text: string;
}

const NEWEST = 50;

/** The captured mail with this Message-ID, read as its receiver would. Fails when it is not there or not signed. */
export async function findCaptured(local: LocalService, messageId: string): Promise<Arrived> {
  const list = await fetch(`${local.captured_mail_url}/messages?limit=${NEWEST}`);
  for (const { id } of (await list.json()) as CapturedMail[]) {
    const raw = await (await fetch(`${local.captured_mail_url}/messages/${id}`)).text();
    const mail = await PostalMime.parse(raw);
    if (mail.messageId !== messageId) continue;
    const signature = raw.split("\r\n").find((line) => /^DKIM-Signature:/i.test(line));
    if (!signature) throw new Error("the mail arrived without a DKIM-Signature");
    const header = (name: string) => mail.headers.find((each) => each.key === name)?.value ?? "";
    return {
      id,
      signature,
      from: header("from"),
      to: header("to"),
      subject: mail.subject ?? "",
      text: mail.text ?? "",
    };
  }
  throw new Error(`the egress has no mail with the Message-ID ${messageId}`);
}
