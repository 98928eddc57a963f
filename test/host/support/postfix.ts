/** A Postfix with the configuration of docs/egress/postfix/, in a folder of its own. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { serverKeys } from "../../support/throwaway-ca.ts";
import { eventually } from "./gateway-rig.ts";
import { SmtpClient } from "./smtp-client.ts";

const CONFIGURATION = path.join(import.meta.dirname, "../../../docs/egress/postfix");
const HOST_NAME = "relay.example.com";
export const LOGIN = { username: "worker", password: "a password/of ?the @Worker" };

/** Returns why Postfix cannot be run, or null. With REQUIRE_TOOLS=1 it throws instead. */
export function postfixUnavailable(): string | null {
  const missing = ["postconf", "saslpasswd2"].find((program) => spawnSync(program, ["-d"]).error);
  const reason =
    missing !== undefined
      ? `${missing} is not installed; on Debian: apt-get install postfix sasl2-bin libsasl2-modules`
      : process.getuid?.() !== 0
        ? "Postfix starts as root only"
        : null;
  if (reason !== null && process.env.REQUIRE_TOOLS === "1") throw new Error(`REQUIRE_TOOLS: ${reason}`);
  if (reason !== null) console.warn(`SKIPPED, ${reason}: the smart host was not tested`);
  return reason;
}

/** Where Postfix listens, and the server that stands for those of all recipients. */
export interface PostfixPlan {
  ports: { submission: number; submissions: number };
  recipientsPort: number;
}

export class Postfix {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  static async start({ ports, recipientsPort }: PostfixPlan): Promise<Postfix> {
    const base = await mkdtemp(path.join(os.tmpdir(), "email-delivery-postfix-"));
    const folder = path.join(base, "etc");
    await chmod(base, 0o755);
    await cp(CONFIGURATION, folder, { recursive: true });
    await Promise.all(["queue", "data"].map((name) => mkdir(path.join(base, name))));
    execFileSync("chown", ["postfix", path.join(base, "data")]);
    const { key, cert } = serverKeys().local;
    await writeFile(path.join(folder, "key.pem"), key, { mode: 0o600 });
    await writeFile(path.join(folder, "certificate.pem"), cert);
    await edit(path.join(folder, "master.cf"), (text) =>
      text
        .replace(/^submission {2}/m, `127.0.0.1:${ports.submission}  `)
        .replace(/^submissions /m, `127.0.0.1:${ports.submissions}  `),
    );
    const accounts = path.join(folder, "sasl/sasldb2");
    await edit(path.join(folder, "sasl/smtpd.conf"), (text) => text.replace("/etc/postfix/sasl/sasldb2", accounts));
    const input = { input: LOGIN.password };
    execFileSync("saslpasswd2", ["-p", "-c", "-u", HOST_NAME, "-f", accounts, LOGIN.username], input);
    execFileSync("chown", ["root:postfix", accounts]);
    await chmod(accounts, 0o640);
    execFileSync("postconf", ["-c", folder, "-e", ...settings(base, recipientsPort)]);
    execFileSync("postfix", ["-c", folder, "start"], { stdio: "ignore" });
    const postfix = new Postfix(folder);
    await eventually(async () => {
      const client = await SmtpClient.connect(ports.submission).catch(() => undefined);
      client?.end();
      return client;
    });
    return postfix;
  }

  /** Sends mail to a domain to another port from now on. */
  route(domain: string, port: number): void {
    this.set(`transport_maps = inline:{${domain}=smtp:[127.0.0.1]:${port}}`);
  }

  /** Changes a setting and reads the configuration again. */
  set(setting: string): void {
    execFileSync("postconf", ["-c", this.#folder, "-e", setting]);
    execFileSync("postfix", ["-c", this.#folder, "reload"], { stdio: "ignore" });
  }

  /** Tries everything in the queue again now. */
  flush(): void {
    execFileSync("postqueue", ["-c", this.#folder, "-f"]);
  }

  /** Returns the queued messages. */
  queued(): { sender: string; recipients: { address: string; delay_reason?: string }[] }[] {
    const lines = execFileSync("postqueue", ["-c", this.#folder, "-j"]).toString().trim().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  readLog(): Promise<string> {
    return readFile(path.join(this.#folder, "../mail.log"), "utf8");
  }

  async stop(): Promise<void> {
    execFileSync("postfix", ["-c", this.#folder, "stop"], { stdio: "ignore" });
    await rm(path.dirname(this.#folder), { recursive: true, force: true });
  }
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(file, "utf8");
  const changed = change(text);
  if (changed === text) throw new Error(`${file} does not have what the test replaces`);
  await writeFile(file, changed);
}

/** The settings that name this machine: folders, certificates, and where mail goes in place of the recipients' servers. */
const settings = (base: string, recipientsPort: number) => [
  `queue_directory = ${base}/queue`,
  `data_directory = ${base}/data`,
  `maillog_file = ${base}/mail.log`,
  `maillog_file_prefixes = ${base}`,
  `smtpd_tls_cert_file = ${base}/etc/certificate.pem`,
  `smtpd_tls_key_file = ${base}/etc/key.pem`,
  "inet_interfaces = 127.0.0.1",
  "inet_protocols = ipv4",
  `relayhost = [127.0.0.1]:${recipientsPort}`,
];
