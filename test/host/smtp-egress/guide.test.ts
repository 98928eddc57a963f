/** The guide for Debian: with its settings the program starts, passes the check, and delivers the first mail. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { checkEgress } from "../../../dev/egress/check/run.ts";
import { serverKeys } from "../../support/throwaway-ca.ts";
import { connectToEgress, handOver } from "../support/egress/hand-over.ts";
import { startSurroundings } from "../support/egress/surroundings.ts";
import { startEgressProcess } from "../support/programs/egress-process.ts";

const root = path.join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const SECRET = "gateway-secret-of-the-tests-0123456789";

/** Returns the variables that the guide writes into the file of the unit. */
function settingsOfGuide(): Record<string, string> {
  const [, block = ""] = /openssl rand([\s\S]*?)smtp-egress\.env/.exec(read("docs/egress/debian.md")) ?? [];
  return Object.fromEntries([...block.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

it("the files of the guide are those of the unit", () => {
  const guide = read("docs/egress/debian.md");
  const unit = read("smtp-egress/smtp-egress.service");
  const files = [...unit.matchAll(/^(?:LoadCredential=\w+|EnvironmentFile=)[.\w]*[:=]?(\/etc\/[\w./-]+)$/gm)];
  const named = files.map(([, file = ""]) => file).filter((file) => !file.startsWith("/etc/letsencrypt/"));
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((file) => !guide.includes(file))).toEqual([]);
  expect(unit).toContain("/etc/letsencrypt/live/smtp-egress/fullchain.pem");
  expect(guide).toContain("--cert-name smtp-egress");
});

it("the unit is installed before the first certificate, whose hook must not fail, and a stopped egress stays stopped", () => {
  const guide = read("docs/egress/debian.md");
  expect(guide).toContain('--deploy-hook "systemctl try-restart smtp-egress"');
  expect(guide.indexOf("cp smtp-egress/smtp-egress.service")).toBeGreaterThan(0);
  expect(guide.indexOf("cp smtp-egress/smtp-egress.service")).toBeLessThan(guide.indexOf("certbot certonly"));
});

it("the firewall of the guide opens the ports of the Worker, of SSH and of certbot, and not that of health and metrics", () => {
  const [, ports = ""] = /tcp dport \{ ([\d, ]+) \} accept/.exec(read("docs/egress/debian.md")) ?? [];
  const { EGRESS_PORTS = "none" } = settingsOfGuide();
  expect(ports.split(", ").sort()).toEqual(["22", "80", ...EGRESS_PORTS.split(",")].sort());
});

it("with the settings of the guide the program starts, the check accepts its certificate, and the first mail arrives", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-egress-guide-"));
  const file = async (name: string, text: string) => {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const { key, cert } = serverKeys().local;
  const world = await startSurroundings();
  const receiver = await world.receiver("first");
  const { EGRESS_NAME: _name, GATEWAY_SECRET: _secret, ...local } = world.variables;
  const settings = settingsOfGuide();
  const program = await startEgressProcess({
    ...settings,
    ...local,
    DNS_SERVERS: "",
    DANE_RESOLVER: local.DNS_SERVERS ?? "",
    EGRESS_PORTS: "0",
    HEALTH_PORT: "0",
    EGRESS_PASSWORD_FILE: await file("password", "a password\n"),
    GATEWAY_SECRET_FILE: await file("secret", `${SECRET}\n`),
    TLS_KEY_FILE: await file("key.pem", key),
    TLS_CERTIFICATE_FILE: await file("certificate.pem", cert),
  });
  const [port = 0] = program.ports;
  const options = { name: "relay.example.com", dns: local.DNS_SERVERS, egress: `smtp://127.0.0.1:${port}` };
  const findings = await checkEgress(options, { env: {}, outgoing: [], now: Date.now() });
  expect(findings.find(({ subject }) => subject.startsWith("certificate"))).toMatchObject({ state: "ok" });

  const credentials = { username: settings.EGRESS_USER ?? "", password: "a password" };
  const ca = readFileSync(process.env.NODE_EXTRA_CA_CERTS ?? "");
  const worker = await connectToEgress({ port, tls: "starttls", ca, credentials });
  expect(await handOver(worker, { to: ["you@first.test"] })).toMatchObject([{ kind: "accepted" }]);
  await expect.poll(() => receiver.messages.length).toBe(1);
  expect(receiver.transcript.find(({ text }) => text.startsWith("EHLO"))?.text).toBe("EHLO relay.example.com");
  program.signal("SIGTERM");
  expect(await program.exited).toBe(0);
  world.close();
  await rm(folder, { recursive: true, force: true });
});
