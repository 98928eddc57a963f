import type { DetailOut, DetailRow } from "../../../sending/emails/index.ts";

/** Returns a text quoted as one word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the curl command that sends the same email again, without its attachments. Pure. */
export function toCurl(publicUrl: string, { fromEmail, fromName }: DetailRow, email: DetailOut): string {
  const toAddresses = (addresses: readonly string[] | null) => addresses?.map((address) => ({ email: address }));
  const body = {
    from_: { email: fromEmail, ...(fromName === null ? {} : { name: fromName }) },
    to: toAddresses(email.to_addresses),
    cc: toAddresses(email.cc_addresses),
    bcc: toAddresses(email.bcc_addresses),
    subject: email.subject,
    ...(email.text_body === null ? {} : { text: email.text_body }),
    ...(email.html_body === null ? {} : { html: email.html_body }),
    ...(Object.keys(email.headers).length > 0 ? { headers: email.headers } : {}),
    ...(email.tags && email.tags.length > 0 ? { tags: email.tags } : {}),
  };
  return [
    `curl ${publicUrl}/v1/emails/ \\`,
    `  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\`,
    `  -d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join("\n");
}
