import { type PostfixMaster, startMaster } from "./postfix-master.ts";
import type { ServerPlan } from "./server.ts";

/** Starts Postfix. It does not know recipients with the local part `gone`. */
export function startPostfix({ name, domains, address, port, relayPort, ...plan }: ServerPlan): Promise<PostfixMaster> {
  const settings = {
    myhostname: name,
    inet_interfaces: "all",
    relay_domains: domains.join(" "),
    smtpd_relay_restrictions: "reject_unauth_destination",
    smtpd_recipient_restrictions: `check_recipient_access inline:{${domains.map((domain) => `{gone@${domain}=REJECT 5.1.1 unknown}`).join(", ")}}, permit`,
    relayhost: `[127.0.0.1]:${relayPort}`,
    smtpd_tls_security_level: "encrypt",
    smtpd_tls_key_file: plan.keyFile,
    smtpd_tls_cert_file: plan.certificateFile,
    smtputf8_enable: "yes",
  };
  return startMaster(settings, { address, port });
}
