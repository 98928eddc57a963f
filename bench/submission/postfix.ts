/**
 * Runs Postfix, for comparison: submission over implicit TLS with AUTH, as a master process of its own with the
 * configuration and the queue in a temporary folder. Accepted mail stays in its hold queue.
 */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { startMaster } from "../postfix-master.ts";
import type { Login } from "./load.ts";
import { startSaslServer } from "./sasl-server.ts";

const run = promisify(execFile);
const HOST = "127.0.0.1";

/** The clients that Postfix accepts mail from. */
export interface PostfixOptions {
  login: Login;
  /** The only envelope sender that the login may use. */
  sender: string;
  keyFile: string;
  certificateFile: string;
}

export interface Postfix {
  version: string;
  port: number;
  /** Process id of the master. Its children accept the mail. */
  pid: number;
  /** Returns the number of messages in the queue. */
  count(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts Postfix. Throws with its log when it does not listen after 20 seconds. */
export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  const sasl = await startSaslServer(options.login);
  const master = await startMaster(mainSettings(options, sasl.port)).catch((error) => {
    sasl.stop();
    throw error;
  });
  return {
    ...master,
    async count() {
      const { stdout } = await run("find", [path.join(master.queue, "hold"), "-type", "f"], { maxBuffer: 100_000_000 });
      return stdout.split("\n").length - 1;
    },
    async stop() {
      await master.stop();
      sasl.stop();
    },
  };
}

function mainSettings({ sender, login, keyFile, certificateFile }: PostfixOptions, saslPort: number) {
  return {
    mynetworks: "",
    smtpd_tls_wrappermode: "yes",
    smtpd_tls_security_level: "encrypt",
    smtpd_tls_key_file: keyFile,
    smtpd_tls_cert_file: certificateFile,
    smtpd_sasl_auth_enable: "yes",
    smtpd_sasl_type: "dovecot",
    smtpd_sasl_path: `inet:${HOST}:${saslPort}`,
    smtpd_sender_login_maps: `inline:{{${sender} = ${login.username}}}`,
    smtpd_sender_restrictions: "reject_sender_login_mismatch",
    smtpd_relay_restrictions: "permit_sasl_authenticated, reject",
    // Accepted as usual, and then not delivered.
    smtpd_end_of_data_restrictions: "check_client_access static:HOLD",
  };
}
