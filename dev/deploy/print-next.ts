import path from "node:path";
import { ROOT } from "../layout.ts";
import { dnsRecords } from "./dns-records.ts";

/** Prints the DNS records to publish, and what is left to do after a deploy. */
export function printNext(
  vars: Readonly<Record<string, string>>,
  files: { settings: string; secrets: string },
  hasEmailRouting: boolean,
  cfblKeys: string,
): void {
  console.log("\nPublish these DNS records:");
  for (const record of dnsRecords(vars, hasEmailRouting, cfblKeys)) console.log(`  ${record}`);
  const route = hasEmailRouting
    ? `Look at npx wrangler email routing dns get ${vars.BOUNCE_DOMAIN}: its MX records must be there. Its SPF record is replaced by the one above.`
    : `Run the mail gateway (docs/operating/gateway.md): it takes the mail for ${vars.BOUNCE_DOMAIN}.`;
  console.log(`
Then:
  Keep a copy of ${path.relative(ROOT, files.secrets)} apart from the databases: without MASTER_KEYS no stored secret can be read.
  ${route}
  Create the first account: MASTER_KEYS=<from that file> npm run bootstrap -- --url ${vars.PUBLIC_URL} --email <address>${vars.SYSTEM_MAILBOX ? "" : `\n${systemMailboxStep(vars, files.settings)}`}
  Watch ${vars.PUBLIC_URL}/ready`);
}

/** Returns what is left to do for the emails of the service itself. */
function systemMailboxStep({ PUBLIC_URL }: Readonly<Record<string, string>>, settings: string): string {
  return `  SYSTEM_MAILBOX is empty: no sign-in links, invitations and notices are sent. Sign in, create a mailbox on a verified domain, set
    its address in ${path.relative(ROOT, settings)} and deploy again (docs/operating.md, "The system mailbox").
  Until then make sign-in links: MASTER_KEYS=<from that file> npm run admin -- sign-in-link --url ${PUBLIC_URL}`;
}
