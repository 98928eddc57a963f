/** The mail gateway as a process: signals, configuration, systemd unit. */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import path from "node:path";
import tls from "node:tls";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../mail-gateway/config.ts";
import { startFailingProxy } from "./support/failing-proxy.ts";
import { certificateFiles, startRig } from "./support/gateway-rig.ts";
import { ROOT } from "./support/hosts/bundle.ts";
import { type GatewayProcess, startGatewayProcess } from "./support/programs/gateway-process.ts";
import { GATEWAY_SECRET } from "./support/shared-service.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { perSuite, temporaryFolder } from "./support/suite.ts";

const run = promisify(execFile);
const rig = perSuite(() => startRig("process.test"));
const folder = temporaryFolder();
let variables: Record<string, string>;

beforeAll(async () => {
  const files = await certificateFiles(folder);
  variables = { ...files.variables, GATEWAY_SECRET, WORKER_URL: rig.host.url };
});
/** Logs in to a gateway process. */
const loggedIn = ({ ports }: GatewayProcess) =>
  SmtpClient.loggedIn({
    ports: { ...ports, health: 0 },
    caFile: path.join(folder, "authority.pem"),
    login: rig.login,
  });

/** Returns the fingerprint of the certificate that a port presents. */
function fingerprintOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

describe("SIGHUP", () => {
  it("takes a renewed certificate for new connections, keeps the open ones, and keeps the old one when it is broken", async () => {
    const gateway = await startGatewayProcess(variables);
    const open = await loggedIn(gateway);
    const before = await fingerprintOf(gateway.ports.implicit);
    const renewed = await certificateFiles(path.join(folder, "renewed"));
    for (const name of ["TLS_KEY_FILE", "TLS_CERTIFICATE_FILE"] as const)
      await copyFile(renewed.variables[name], variables[name] ?? "");
    const reloaded = gateway.logged("certificate.reloaded");
    gateway.signal("SIGHUP");
    await reloaded;
    const after = await fingerprintOf(gateway.ports.implicit);
    expect(after).not.toBe(before);
    expect(await open.command("NOOP")).toMatch(/^250 /);
    await rm(variables.TLS_KEY_FILE ?? "");
    const failed = gateway.logged("certificate.failed");
    gateway.signal("SIGHUP");
    await failed;
    expect(await fingerprintOf(gateway.ports.implicit)).toBe(after);
    open.end();
    await gateway.stop();
    await copyFile(renewed.variables.TLS_KEY_FILE, variables.TLS_KEY_FILE ?? "");
    await copyFile(renewed.authorityFile, path.join(folder, "authority.pem"));
  });
});

describe("SIGTERM", () => {
  it("lets a message that is being sent finish with its 250, ends idle connections with 421, and exits with 0", async () => {
    // Longer than the test may take: nothing waits for it.
    const gateway = await startGatewayProcess({ ...variables, LIMIT_CLOSE_MS: "600000" });
    const [busy, idle] = [await loggedIn(gateway), await loggedIn(gateway)];
    await busy.begin(rig.seed.mailbox, "a@example.org");
    busy.write(`From: ${rig.seed.mailbox}\r\nTo: a@example.org\r\nSubject: while it stops\r\n`);
    gateway.signal("SIGTERM");
    expect(await idle.reply()).toMatch(/^421 /);
    await idle.closed();
    await expect(SmtpClient.connect(gateway.ports.implicit)).rejects.toThrow("ECONNREFUSED");
    busy.write("\r\nHello.\r\n.\r\n");
    const [, id] = /^250 .*Queued as (\S+)/.exec(await busy.reply()) ?? [];
    await busy.closed();
    busy.end();
    expect(await gateway.exited).toBe(0);
    expect(await rig.api("GET", `/v1/emails/${id}`)).toMatchObject({ subject: "while it stops", source: "smtp" });
  });

  it("does not wait longer than the limit for a message that stands still", async () => {
    const gateway = await startGatewayProcess({ ...variables, LIMIT_CLOSE_MS: "200" });
    const client = await loggedIn(gateway);
    await client.begin(rig.seed.mailbox, "a@example.org");
    gateway.signal("SIGTERM");
    expect(await gateway.exited).toBe(0);
    expect(await client.reply()).toMatch(/^421 /);
    client.end();
  });
});

describe("a message on which the Worker fails", () => {
  const submit = async (client: SmtpClient, subject: string) => {
    await client.begin(rig.seed.mailbox, "a@example.org");
    client.write(`From: ${rig.seed.mailbox}\r\nSubject: ${subject}\r\n\r\nx\r\n.\r\n`);
    return (await client.reply()).slice(0, 4);
  };
  const withClients = async (submitAll: (clients: SmtpClient[]) => Promise<void>) => {
    const proxy = await startFailingProxy(rig.host.url, "poison");
    const gateway = await startGatewayProcess({ ...variables, WORKER_URL: proxy.url });
    const clients = await Promise.all(Array.from({ length: 10 }, () => loggedIn(gateway)));
    await submitAll(clients);
    for (const client of clients) client.end();
    await gateway.stop();
    proxy.stop();
  };

  it("gets 451 each time, and the messages of other connections are accepted at the latest when they are sent again", async () => {
    await withClients(async (clients) => {
      const replies = await Promise.all(
        clients.map(async (client, n) => {
          const subject = n === 0 ? "poison" : `beside ${n}`;
          const first = await submit(client, subject);
          return first === "451 " ? submit(client, subject) : first;
        }),
      );
      expect(replies).toEqual(["451 ", ...Array(9).fill("250 ")]);
    });
  });

  it("does not fail others again when all of them are sent again after a time without messages", async () => {
    let failedBeside = 0;
    // On a busy machine the ten may come one by one, so that none shares a call with the first.
    for (let round = 0; round < 10 && failedBeside === 0; round += 1)
      await withClients(async (clients) => {
        const submitAll = () =>
          Promise.all(clients.map((client, n) => submit(client, n === 5 ? "poison" : `later ${n}`)));
        failedBeside = (await submitAll()).filter((reply) => reply === "451 ").length - 1;
        const again = await submitAll();
        expect(again.map((reply, n) => [n, reply])).toEqual(again.map((_, n) => [n, n === 5 ? "451 " : "250 "]));
      });
    expect(failedBeside).toBeGreaterThan(0);
  });
});

describe("a wrong configuration", () => {
  it.each([
    [{ GATEWAY_SECRET: "short" }, "GATEWAY_SECRET must have at least 32 characters"],
    [{ SUBMISSION_TLS_PORTS: "" }, "name no port"],
    [{ SUBMISSION_TLS_PORTS: "smtp" }, 'SUBMISSION_TLS_PORTS is "smtp"'],
    [{ WORKER_URL: "" }, "WORKER_URL is missing"],
    [{ TLS_KEY_FILE: "" }, "TLS_KEY_FILE is missing"],
    [{ LIMIT_IDLE_MS: "-1" }, "LIMIT_IDLE_MS must be a whole number above 0"],
  ])("%j is refused by its name", (wrong, message) => {
    expect(() => readConfig({ ...variables, SUBMISSION_TLS_PORTS: "0", ...wrong })).toThrow(message);
  });

  it("ends the process, with the reason in the log", async () => {
    await expect(startGatewayProcess({ ...variables, TLS_KEY_FILE: "/none" })).rejects.toThrow("ENOENT");
  });
});

/** Names of variables that the gateway reads, of which each must be in the manual. */
const source = readFileSync(path.join(ROOT, "mail-gateway/config.ts"), "utf8");
const manual = readFileSync(path.join(ROOT, "docs/operating/gateway.md"), "utf8");
const unit = readFileSync(path.join(ROOT, "mail-gateway/mail-gateway.service"), "utf8");
const namesIn = (text: string) => new Set(text.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g));

describe("the systemd unit", () => {
  it("starts a program that exists, and sets variables that the gateway reads", () => {
    const [, program = ""] = /^ExecStart=\/usr\/bin\/node .*?(\S+\.ts)$/m.exec(unit) ?? [];
    expect(existsSync(path.join(ROOT, program))).toBe(true);
    const [, environment = ""] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const credentials = [...unit.matchAll(/^LoadCredential=([^:]+):/gm)].map(([, name]) => name);
    const settings = environment.split(" ").map((setting) => setting.split("=%d/"));
    expect(settings.map(([, file]) => file).sort()).toEqual(credentials.sort());
    for (const [name = ""] of settings) expect(source).toContain(name.replace(/^GATEWAY_SECRET_FILE$/, "_FILE"));
    expect(unit).toContain("ExecReload=/bin/kill -HUP $MAINPID");
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
    expect(Number(seconds)).toBeGreaterThan(10);
  });

  const hasSystemd = spawnSync("sh", ["-c", "command -v systemd-analyze"]).status === 0;
  it.skipIf(!hasSystemd)(
    `has no issue for systemd-analyze${hasSystemd ? "" : " (SKIPPED: systemd is not installed)"}`,
    async () => {
      const { stdout, stderr } = await run("systemd-analyze", ["verify", "mail-gateway/mail-gateway.service"], {
        cwd: ROOT,
      });
      expect(stdout + stderr).toBe("");
    },
  );
});

it("each variable of the gateway is in the manual", () => {
  const missing = [...namesIn(source)].filter((name) => !manual.includes(name) && name !== "DEFAULT_LIMITS");
  expect(missing).toEqual([]);
});
