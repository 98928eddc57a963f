/** Runs Postfix as an egress, for comparison: it delivers to the sink's addresses. */
import { type PostfixMaster, startMaster } from "../postfix-master.ts";

/** Starts Postfix with a route for each domain. `routes`: address and port by domain. */
export function startPostfixEgress(routes: ReadonlyMap<string, string>): Promise<PostfixMaster> {
  const lines = [...routes].map(([domain, target]) => `${domain} smtp:${target}\n`);
  return startMaster(
    {
      mynetworks: "127.0.0.0/8",
      smtpd_relay_restrictions: "permit_mynetworks, reject",
      transport_maps: "texthash:$config_directory/transport",
      // As docs/egress/postfix/main.cf has it.
      default_process_limit: "300",
      smtpd_error_sleep_time: "0",
      smtp_tls_security_level: "may",
      local_header_rewrite_clients: "",
      remote_header_rewrite_domain: "",
      disable_mime_output_conversion: "yes",
    },
    { files: { transport: lines.join("") } },
  );
}
