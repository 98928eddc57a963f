import { readFile } from "node:fs/promises";
import type { ExampleMailbox } from "./example/client.ts";
import { SHOP } from "./example/shop.ts";
import { HOST, type Layout } from "./layout.ts";
import type { LocalService } from "./local-file.ts";
import { FIRST } from "./seed.ts";

const TAIL_LINES = 30;

/** Returns the text that `npm start` prints when the service is ready. `example`: the mailbox of the example shop, if it is there. */
export function summary(layout: Layout, local: LocalService, example: ExampleMailbox | null): string {
  return `
The service is ready.

  API            ${local.base_url}
  Dashboard      ${local.sign_in_url} (signs in once, within 15 minutes${example ? `; opens ${SHOP.name}` : ""})${exampleLine(local, example)}
  Captured mail  ${local.captured_mail_url}
  DNS of *.test  ${local.dns_url}
  Local egress   smtp://${HOST}:${layout.ports.smtp} (STARTTLS, AUTH)
  IMAP           imaps://${HOST}:${layout.ports.imap_tls} (mail programs: address and password of the webmail)
  MX             smtp://${HOST}:${layout.ports.mx} (mail from outside: bounces and unsubscribes)
  State          ${layout.stateDir} (kept over a restart; npm run reset deletes it)
  Worker log     ${layout.workerLog}

The workspace ${FIRST.name}, of the first start:

  API key        ${local.api_key}
  Sender         ${local.mailbox}
  Webmail        ${webmailLine(local)}
  Submission     ${smtpLine(local)}

Send a first email from it, then open ${local.captured_mail_url}

  ${curlLine(local)}

Stop with Ctrl-C.
`;
}

function exampleLine({ base_url }: LocalService, example: ExampleMailbox | null): string {
  if (!example) return "";
  return `
  Example shop   ${new URL(`/mail/${example.id}/INBOX`, base_url).href} (${example.address}, once you are signed in)`;
}

function webmailLine({ base_url, mailbox, webmail }: LocalService): string {
  if (!webmail) return `${new URL("/mail/sign-in", base_url).href} (the password of ${mailbox} was changed)`;
  return `${webmail.sign_in_url}
                 password ${webmail.password}`;
}

function smtpLine({ smtp, ports }: LocalService): string {
  const tls = `or port ${ports.submission_tls} with implicit TLS`;
  if (!smtp) return `smtp://${HOST}:${ports.submission} (STARTTLS, ${tls})`;
  return `smtp://${HOST}:${ports.submission} (STARTTLS, ${tls})
                 user ${smtp.username}, password ${smtp.password}
                 authority ${smtp.ca_file}`;
}

/** Returns a curl command that sends one email. */
function curlLine(local: LocalService): string {
  const mail = {
    from_: { email: local.mailbox, name: "Example" },
    to: [{ email: "friend@example.org" }],
    subject: "My first email",
    text: "It works.",
  };
  const headers = `-H 'Authorization: Bearer ${local.api_key}' -H 'Content-Type: application/json'`;
  return `curl -sS ${local.base_url}/emails/ ${headers} -d '${JSON.stringify(mail)}'`;
}

/** Returns the last 30 lines of the worker log, or an empty text. */
export async function logTail(layout: Layout): Promise<string> {
  const text = await readFile(layout.workerLog, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}
