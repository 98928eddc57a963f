/** The egress as a process: signals, TLS and login, health and metrics, configuration, systemd unit. */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../../smtp-egress/config.ts";
import type { Script } from "../support/smtp-script.ts";
import { connectToEgress, handOver } from "./support/egress/hand-over.ts";
import { type Surroundings, startSurroundings } from "./support/egress/surroundings.ts";
import { certificateFiles } from "./support/gateway-rig.ts";
import { ROOT } from "./support/hosts/bundle.ts";
import { type EgressProcess, startEgressProcess } from "./support/programs/egress-process.ts";

const run = promisify(execFile);
const login = { EGRESS_USER: "worker", EGRESS_PASSWORD: "a password of tests" };
let folder: string;
let ca: Buffer;
let certificate: Record<string, string>;
let world: Surroundings;
const started: EgressProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "egress-process-"));
  const { authorityFile, variables } = await certificateFiles(folder);
  certificate = variables;
  ca = readFileSync(authorityFile);
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  world = await startSurroundings();
});
afterEach(async () => {
  world.close();
  for (const { signal, exited } of started.splice(0)) {
    signal("SIGKILL");
    await exited;
  }
});

async function aProcess(variables: Record<string, string> = {}): Promise<EgressProcess> {
  const egress = await startEgressProcess({ ...world.variables, EGRESS_INSECURE_PORTS: "0", ...variables });
  started.push(egress);
  return egress;
}

const kindsOf = (address: string) => world.worker.resultsOf(address).map(({ kind }) => kind);

describe("SIGTERM", () => {
  it("returns what has no final dot, reports the final dots on their way, takes no new mail, and exits with 0", async () => {
    const slow = await world.receiver("slow", { transactions: [{ data: { silent: true } }] });
    // Of all replies only that to the final dot takes its time.
    const script: Script = {
      transactions: [
        {
          get dot() {
            script.latencyMs = 500;
            return "250 2.0.0 Ok";
          },
        },
      ],
    };
    const dot = await world.receiver("dot", script);
    await world.receiver("silent", { greeting: { silent: true } });
    const egress = await aProcess();
    const connection = await connectToEgress({ port: egress.ports[0] ?? 0 });
    for (const name of ["dot", "slow", "silent"]) await handOver(connection, { to: [`a@${name}.test`] });
    await expect.poll(() => dot.messages.length).toBe(1);
    await expect.poll(() => slow.transcript.some(({ text }) => text === "DATA")).toBe(true);
    const results = handOver(connection, { to: ["late@slow.test"] });
    egress.signal("SIGTERM");
    await results;
    expect(await egress.exited).toBe(0);
    expect(kindsOf("a@dot.test")).toEqual(["accepted"]);
    expect(kindsOf("a@slow.test")).toEqual(["returned"]);
    expect(kindsOf("a@silent.test")).toEqual(["returned"]);
    expect(slow.messages).toEqual([]);
    await expect(connectToEgress({ port: egress.ports[0] ?? 0 })).rejects.toThrow("ECONNREFUSED");
  });

  it("waits for acknowledgements, but no longer than its limit", async () => {
    await world.receiver("one");
    const egress = await aProcess({ LIMIT_CLOSE_MS: "300" });
    world.worker.mode = "fails";
    const connection = await connectToEgress({ port: egress.ports[0] ?? 0 });
    await handOver(connection, { to: ["a@one.test"] });
    await expect.poll(() => world.worker.received.length).toBeGreaterThan(0);
    const unacknowledged = egress.logged("stopped.unacknowledged");
    egress.signal("SIGTERM");
    await unacknowledged;
    expect(await egress.exited).toBe(0);
  });
});

describe("the login", () => {
  it.each(["starttls", "implicit"] as const)("is needed over %s, and only one password is right", async (tls) => {
    await world.receiver("one");
    const ports = { EGRESS_INSECURE_PORTS: "", [tls === "implicit" ? "EGRESS_TLS_PORTS" : "EGRESS_PORTS"]: "0" };
    const egress = await aProcess({ ...certificate, ...login, ...ports });
    const port = egress.ports[0] ?? 0;
    const access = { port, tls, ca };
    const wrong = { username: "worker", password: "another" };
    await expect(connectToEgress({ ...access, credentials: wrong })).rejects.toMatchObject({ reply: { code: 535 } });
    const [refused] = await handOver(await connectToEgress(access), { to: ["a@one.test"] });
    expect(refused).toMatchObject({ kind: "message-refused", phase: "mail", reply: { code: 530 } });
    const right = { username: login.EGRESS_USER, password: login.EGRESS_PASSWORD };
    const connection = await connectToEgress({ ...access, credentials: right });
    expect(await handOver(connection, { to: ["a@one.test"] })).toMatchObject([{ kind: "accepted" }]);
    await expect.poll(() => kindsOf("a@one.test")).toEqual(["accepted"]);
  });

  it("is not offered before TLS", async () => {
    const egress = await aProcess({ ...certificate, ...login, EGRESS_INSECURE_PORTS: "", EGRESS_PORTS: "0" });
    const credentials = { username: "worker", password: login.EGRESS_PASSWORD };
    const connecting = connectToEgress({ port: egress.ports[0] ?? 0, credentials });
    await expect(connecting).rejects.toThrow("the server offers neither AUTH PLAIN nor AUTH LOGIN");
  });
});

describe("health and metrics", () => {
  it("tell whether the Worker responds, and what each receiver does", async () => {
    const rules = [{ pattern: "slow down", threshold: 1, action: { kind: "slow", messagesPerMinute: 5 }, minutes: 9 }];
    const file = path.join(folder, "receivers.json");
    await writeFile(
      file,
      JSON.stringify([{ name: "big", mxSuffixes: [".one.test"], limits: { connections: 3 }, rules }]),
    );
    await world.receiver("one", {
      recipients: { "b@one.test": '451 4.7.1 "slow down"', "c@one.test": "550 5.1.1 no" },
    });
    const egress = await aProcess({ RECEIVERS_FILE: file, SOURCE_ADDRESS: "127.0.0.1", WARM_UP: "careful" });
    const get = async (url: string) => {
      const response = await fetch(`http://127.0.0.1:${egress.healthPort}${url}`);
      return { status: response.status, text: await response.text() };
    };
    await expect.poll(async () => (await get("/health")).status).toBe(200);
    const connection = await connectToEgress({ port: egress.ports[0] ?? 0 });
    await handOver(connection, { to: ["a@one.test", "b@one.test", "c@one.test"] });
    await expect.poll(() => kindsOf("a@one.test")).toEqual(["accepted"]);
    const { text } = await get("/metrics");
    const labels = '{receiver="big",address="127.0.0.1"}';
    for (const line of [
      `smtp_egress_receiver_accepted_total${labels} 1`,
      `smtp_egress_receiver_deferred_total${labels} 1`,
      `smtp_egress_receiver_refused_total${labels} 1`,
      `smtp_egress_receiver_messages_per_minute${labels} 5`,
      `smtp_egress_receiver_warm_up_day${labels} 1`,
      "smtp_egress_memory_limit_bytes 268435456",
      "smtp_egress_held_emails 0",
    ])
      expect(text).toContain(`\n${line}\n`);
    expect(text).toMatch(
      /^smtp_egress_receiver_limited_until_seconds\{receiver="big",address="127\.0\.0\.1",reply="451 4\.7\.1 \\"slow down\\"",action="slow"\} \d{10}$/m,
    );
    world.worker.close();
    expect((await get("/health")).status).toBe(503);
    expect((await get("/other")).status).toBe(404);
  });
});

describe("a wrong configuration", () => {
  const right = () => ({ ...world.variables, ...certificate, ...login, EGRESS_PORTS: "0" });

  it.each([
    [{ EGRESS_PORTS: "" }, "name no port"],
    [{ EGRESS_PORTS: "smtp" }, 'EGRESS_PORTS is "smtp"'],
    [{ EGRESS_PASSWORD: "" }, "EGRESS_PASSWORD is missing"],
    [{ GATEWAY_SECRET: "short" }, "GATEWAY_SECRET must have at least 32 characters"],
    [{ WORKER_URL: "" }, "WORKER_URL is missing"],
    [{ TLS_KEY_FILE: "" }, "TLS_KEY_FILE is missing"],
    [{ EGRESS_INSECURE_PORTS: "0", EGRESS_HOST: "::" }, "EGRESS_INSECURE_PORTS requires an EGRESS_HOST of loopback"],
    [{ MEMORY_MB: "0" }, "MEMORY_MB must be a whole number above 0"],
    [{ LIMIT_IDLE_MS: "-1" }, "LIMIT_IDLE_MS must be a whole number above 0"],
    [{ WARM_UP: "fast" }, "WARM_UP must be one of off, careful"],
    [{ WARM_UP: "careful", WARM_UP_SINCE: "soon" }, "WARM_UP_SINCE must be a date"],
  ])("%j is refused by its name", (wrong, message) => {
    expect(() => readConfig({ ...right(), ...wrong })).toThrow(message);
  });

  it("a file of receivers that is wrong ends the process, with the place in the log", async () => {
    const file = path.join(folder, "wrong.json");
    await writeFile(file, JSON.stringify([{ name: "google", limits: { connections: 0 } }]));
    const message = "RECEIVERS_FILE[0].limits.connections must be a whole number from 1 to 1000";
    await expect(aProcess({ RECEIVERS_FILE: file })).rejects.toThrow(message);
  });
});

const source = readFileSync(path.join(ROOT, "smtp-egress/config.ts"), "utf8");
const unit = readFileSync(path.join(ROOT, "smtp-egress/smtp-egress.service"), "utf8");

describe("the systemd unit", () => {
  it("starts a program that exists, sets variables that it reads, and waits longer than it takes to stop", () => {
    const [, program = ""] = /^ExecStart=\/usr\/bin\/node .*?(\S+\.ts)$/m.exec(unit) ?? [];
    expect(existsSync(path.join(ROOT, program))).toBe(true);
    const [, environment = ""] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const credentials = [...unit.matchAll(/^LoadCredential=([^:]+):/gm)].map(([, name]) => name);
    const settings = environment.split(" ").map((setting) => setting.split("=%d/"));
    expect(settings.map(([, file]) => file).sort()).toEqual(credentials.sort());
    for (const [name = ""] of settings)
      expect(source).toContain(`"${name.replace(/^(GATEWAY_SECRET|EGRESS_PASSWORD)_FILE$/, "$1")}"`);
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
    expect(Number(seconds) * 1_000).toBeGreaterThan(
      readConfig({ ...world.variables, EGRESS_INSECURE_PORTS: "0" }).limits.closeMs,
    );
  });

  it("is started again however often it fails", () => {
    const [head = "", service = ""] = unit.split("[Service]");
    expect(head).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(service).toMatch(/^Restart=always$/m);
  });

  const hasSystemd = spawnSync("sh", ["-c", "command -v systemd-analyze"]).status === 0;
  it.skipIf(!hasSystemd)(
    `has no issue for systemd-analyze${hasSystemd ? "" : " (SKIPPED: systemd is not installed)"}`,
    async () => {
      const { stdout, stderr } = await run("systemd-analyze", ["verify", "smtp-egress/smtp-egress.service"], {
        cwd: ROOT,
      });
      expect(stdout + stderr).toBe("");
    },
  );
});
