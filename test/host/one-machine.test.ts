/** The gateway and the egress beside each other, with the settings of compose.yaml and of their Dockerfiles. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectToEgress, handOver } from "./support/egress/hand-over.ts";
import { certificateFiles, startRig } from "./support/gateway-rig.ts";
import { ROOT } from "./support/hosts/bundle.ts";
import { type EgressProcess, startEgressProcess } from "./support/programs/egress-process.ts";
import { type GatewayProcess, startGatewayProcess } from "./support/programs/gateway-process.ts";
import { GATEWAY_SECRET } from "./support/shared-service.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { perSuite, temporaryFolder } from "./support/suite.ts";

const PASSWORD = "a password of tests";
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

const rig = perSuite(() => startRig("one-machine.test"));
const folder = temporaryFolder();
let started: (EgressProcess | GatewayProcess)[] = [];

beforeAll(async () => {
  await writeFile(path.join(folder, "gateway-secret"), `${GATEWAY_SECRET}\n`);
  await writeFile(path.join(folder, "egress-password"), `${PASSWORD}\n`);
  await certificateFiles(folder);
});
afterAll(async () => {
  for (const { signal, exited } of started) {
    signal("SIGTERM");
    await exited;
  }
});

/** Returns the variables of a service: those of its Dockerfile, then those of compose.yaml. */
function variablesOf(service: string, program: string): Record<string, string> {
  const [, image = ""] = /^ENV (.+)$/m.exec(read(`${program}/Dockerfile`)) ?? [];
  const [, block = ""] =
    new RegExp(`\\n  ${service}:\\n[\\s\\S]*?    environment:\\n((?: {6}.*\\n)+)`).exec(read("compose.yaml")) ?? [];
  const set = [...block.matchAll(/^ {6}(\w+): "?(.*?)"?$/gm)].map(([, name, value]) => [name, value]);
  return Object.fromEntries([...image.split(" ").map((setting) => setting.split("=")), ...set]);
}

/** Returns the variables with what differs here: names and files of the machine, a loopback address and free ports. */
async function onThisMachine(variables: Record<string, string>): Promise<Record<string, string>> {
  const { variables: files } = await certificateFiles(folder);
  const entries = Object.entries(variables).map(([name, value]): [string, string] => {
    if (name in files) return [name, files[name as keyof typeof files]];
    if (value.startsWith("${WORKER_URL:?")) return [name, rig.host.url];
    if (value.startsWith("${HOST_NAME:?")) return [name, "localhost"];
    if (value.startsWith("/run/secrets/")) return [name, path.join(folder, path.basename(value))];
    if (value === "::") return [name, "127.0.0.1"];
    return [name, /PORTS?$/.test(name) && value !== "" ? "0" : value];
  });
  return Object.fromEntries(entries);
}

it("the settings of compose.yaml run both programs on one machine, with ports that do not meet and two secrets", async () => {
  const settings = { gateway: variablesOf("gateway", "mail-gateway"), egress: variablesOf("egress", "smtp-egress") };
  const ports = Object.values(settings).flatMap((of) =>
    Object.entries(of).flatMap(([name, value]) => (/PORTS?$/.test(name) && value !== "" ? value.split(",") : [])),
  );
  expect(ports.length).toBeGreaterThan(7);
  expect(new Set(ports).size).toBe(ports.length);

  const gateway = await startGatewayProcess(await onThisMachine(settings.gateway), { hasAllRoles: true });
  started = [gateway];
  const egress = await startEgressProcess(await onThisMachine(settings.egress));
  started.push(egress);

  const caFile = path.join(folder, "authority.pem");
  expect(Object.values(gateway.ports).every((port) => port > 0)).toBe(true);
  const client = await SmtpClient.loggedIn({ ports: { ...gateway.ports, health: 0 }, caFile, login: rig.login });
  await client.begin(rig.seed.mailbox, "friend@example.org");
  client.write(`From: ${rig.seed.mailbox}\r\nSubject: by one machine\r\n\r\nHello.\r\n.\r\n`);
  expect(await client.reply()).toMatch(/^250 .*Queued as/);
  client.end();

  const access = { port: egress.ports[0] ?? 0, tls: "starttls" as const, ca: readFileSync(caFile) };
  const [refused] = await handOver(await connectToEgress(access), { to: ["a@one.test"] });
  expect(refused).toMatchObject({ kind: "message-refused", reply: { code: 530 } });
  await connectToEgress({ ...access, credentials: { username: "worker", password: PASSWORD } });
}, 60_000);
