/**
 * A deployment by `npm run deploy` against a stand-in of wrangler, whose Worker runs with the secrets that the stand-in got. The
 * master key is rotated by the printed commands, and every deploy before, between and after leaves each stored secret readable.
 */
import { execFile } from "node:child_process";
import { cp, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../dev/layout.ts";
import type { Seeded } from "../../dev/seed-workspace.ts";
import { call } from "./support/backup-site.ts";
import { CountingSink } from "./support/counting-sink.ts";
import { HttpsFront } from "./support/https-front.ts";
import { findTestPort } from "./support/ports.ts";
import { RestartableHost } from "./support/restartable-host.ts";
import { printedCommands, StandIn } from "./support/stand-in.ts";
import { temporaryFolder } from "./support/suite.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

const WORKER = "email-delivery-production";
const PUBLIC_URL = "https://mail.shop.se";

const folder = temporaryFolder();
let standIn: StandIn;
let front: HttpsFront;
let host: RestartableHost;
let seeded: Seeded;
const sink = new CountingSink();
const receiver = new WebhookReceiver();
const vars: Record<string, string> = { PUBLIC_URL, LIVE_WEBHOOKS: "on", WEBHOOK_ALLOW_INSECURE: "on" };
const file = (name: string) => path.join(folder, name);

beforeAll(async () => {
  await sink.listen();
  await receiver.listen();
  const port = await findTestPort();
  standIn = await StandIn.create(folder);
  front = await HttpsFront.open(folder, "mail.shop.se", port);
  await writeFile(
    file("settings.json"),
    JSON.stringify({
      vars: {
        ...{ PUBLIC_URL, MX_HOST: "mx.shop.se", SMTP_HOST: "smtp.shop.se" },
        ...{ SPF_DOMAIN: "spf.shop.se", BOUNCE_DOMAIN: "bounces.shop.se" },
      },
      databases: {},
    }),
  );
  host = new RestartableHost({ stateDir: file("state"), port, vars, queueSeconds: 0 });
}, 120_000);
afterAll(async () => {
  await host?.stop();
  front?.close();
  sink.close();
  receiver.close();
});

/** Runs a command of dev/ for production, with a file of secrets. */
async function run(command: string, args: string[], secrets = file("secrets.json"), env: Record<string, string> = {}) {
  const script = path.join(ROOT, "dev", `${command}.ts`);
  const given = [script, ...args, "--env", "production", "--settings", file("settings.json"), "--secrets", secrets];
  const ended = await promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", ...given], {
    env: { ...process.env, EGRESS_URL: "", MASTER_KEYS: "", PATH: standIn.path, ...front.env, ...env },
  }).catch((error: { code: number; stdout: string; stderr: string }) => error);
  return { code: "code" in ended ? ended.code : 0, output: ended.stdout + ended.stderr };
}
const deploy = (secrets?: string, ...more: string[]) => run("deploy", more, secrets);

/** Runs each command of wrangler that an output has, in its order. */
async function runPrinted(output: string): Promise<void> {
  const commands = printedCommands(output);
  expect(commands, output).toHaveLength(1);
  for (const command of commands) expect(await standIn.run(command)).toMatchObject({ code: 0 });
}

const deployedKeys = async () => (await standIn.account()).workers[WORKER]?.secrets.MASTER_KEYS ?? "";
const versionsOf = (keys: string) => keys.split(",").map((key) => Number(key.split(":")[0]));

/** Starts the Worker with the secrets that wrangler has given it. */
async function restart(): Promise<void> {
  await host.kill();
  Object.assign(vars, (await standIn.account()).workers[WORKER]?.secrets);
  await (await host.start()).restarted;
}

/** Expects that an email is signed and sent, and its event signed: the keys of both are stored secrets. */
async function expectSecretsOpen(subject: string): Promise<void> {
  const mail = { from_: { email: seeded.mailbox }, to: [{ email: "friend@example.org" }], subject, text: "Hello" };
  const { id } = await call<{ id: string }>(host, seeded.apiKey, ["POST", "/v1/emails/"], mail);
  await expect.poll(() => sink.receipts.some((receipt) => receipt.subject === subject), { timeout: 30_000 }).toBe(true);
  await receiver.expectSigned(id);
}

/** Expects that a deploy is refused with this reason, changes no secret and prints none. */
async function expectRefused(secrets: string, reason: string): Promise<void> {
  const before = await standIn.account();
  const { code, output } = await deploy(secrets);
  expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
  expect(output).toContain("Nothing was deployed.");
  expect(output).toContain("With --keep-keys");
  expect(await standIn.account()).toEqual(before);
  const { MASTER_KEYS = "" } = JSON.parse(await readFile(secrets, "utf8")) as Record<string, string>;
  for (const key of MASTER_KEYS.split(",")) expect(output).not.toContain(key.split(":")[1]);
}

/** Writes a copy of the file of secrets with other master keys. */
async function copyWith(name: string, change: (keys: string[]) => string[]): Promise<string> {
  const secrets = JSON.parse(await readFile(file("secrets.json"), "utf8")) as Record<string, string>;
  const MASTER_KEYS = change((secrets.MASTER_KEYS ?? "").split(",")).join(",");
  await writeFile(file(name), JSON.stringify({ ...secrets, MASTER_KEYS }), { mode: 0o600 });
  return file(name);
}

describe("a rotation between deploys", () => {
  it("begins with a first deploy, which asks no Worker", async () => {
    const egress = { EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off` };
    const first = await run("deploy", [], undefined, { ...egress, HTTPS_PROXY: "http://127.0.0.1:1" });
    expect(first.code, first.output).toBe(0);
    Object.assign(vars, (await standIn.account()).workers[WORKER]?.secrets);
    [seeded] = (await host.startAndSeed("rotation.example")) as [Seeded];
    await host.start();
    const webhook = { url: receiver.url, events: ["email.sent", "email.delivered"] };
    const made = await call<{ secret: string }>(host, seeded.apiKey, ["POST", "/v1/webhooks/"], webhook);
    receiver.secret = made.secret;
    await expectSecretsOpen("Before the rotation");
    expect((await deploy()).output).toContain("Publish these DNS records");
    await cp(file("secrets.json"), file("old.json"));
  });

  it("stores the keys of each step in the file, which a deploy may give to the Worker at any time", async () => {
    const before = JSON.parse(await readFile(file("secrets.json"), "utf8")) as Record<string, string>;
    const added = await run("rotate-secrets", ["--add"]);
    expect(added.code, added.output).toBe(0);
    const after = JSON.parse(await readFile(file("secrets.json"), "utf8")) as Record<string, string>;
    expect(after).toEqual({ ...before, MASTER_KEYS: expect.stringMatching(/^2:.{44},1:/) });
    expect((await stat(file("secrets.json"))).mode & 0o777).toBe(0o600);
    expect(added.output).not.toContain((after.MASTER_KEYS ?? "").slice(2, 46));
    // Interrupted and repeated: there is one new key.
    expect((await run("rotate-secrets", ["--add"])).output).toContain("Key 2 was added before");
    expect((await run("rotate-secrets", ["--use"])).output).toContain("does not know key 2 everywhere yet");
    expect((await deploy()).code).toBe(0);
    expect(versionsOf(await deployedKeys())).toEqual([2, 1]);
    await restart();
    await expectSecretsOpen("With the new key added");
    await expectRefused(file("old.json"), "it has key 1, and the Worker has key 2 too");

    const used = await run("rotate-secrets", ["--use"]);
    expect(used.code, used.output).toBe(0);
    await runPrinted(used.output);
    expect(versionsOf(await deployedKeys())).toEqual([1, 2]);
    await restart();
    // Two DKIM keys, the secret of the webhook, and the key of erased addresses.
    expect((await run("rotate-secrets", [])).output).toContain("4 stored secrets were encrypted again");
    expect((await deploy()).code).toBe(0);
    expect(versionsOf(await deployedKeys())).toEqual([1, 2]);
    await restart();
    await expectSecretsOpen("With the new key in use");
  });

  it("refuses each file with which a stored secret could not be read, and names what to do", async () => {
    await expectRefused(file("old.json"), "it has key 1, and the Worker uses key 2");
    await expectRefused(await copyWith("behind.json", (keys) => [...keys].reverse()), "it uses key 1");
    const own = `2:${Buffer.from("another key of thirty-two bytes.").toString("base64")}`;
    const differs = "its key 2 is another one than key 2 of the Worker";
    await expectRefused(await copyWith("differs.json", ([one = ""]) => [one, own]), differs);
    await expectRefused(await copyWith("other.json", () => [own]), "the Worker knows none of its keys");
    const ahead = own.replace("2:", "3:");
    await expectRefused(
      await copyWith("ahead.json", (keys) => [...keys, ahead]),
      "key 3, which the Worker does not know",
    );
    expect((await run("rotate-secrets", ["--add"], file("old.json"))).output).toContain("Copy the file from where");
    const nothing = await deploy(file("none.json"));
    expect(nothing.code).toBe(1);
    await expect(stat(file("none.json"))).rejects.toThrow("ENOENT");
  });

  it("ends with the new key alone, and with the old file nothing is deployed", async () => {
    const removed = await run("rotate-secrets", ["--remove"]);
    expect(removed.output).toContain("0 stored secrets were encrypted again; all are under key 2.");
    expect((await deploy()).code).toBe(0);
    expect(versionsOf(await deployedKeys())).toEqual([2]);
    await restart();
    await expectSecretsOpen("Without the old key");
    await expectRefused(file("old.json"), "the Worker knows none of its keys");
  });

  it("refuses a Worker that does not respond; with --keep-keys its keys stay", async () => {
    await host.kill();
    await expectRefused(file("old.json"), "cannot be asked which master keys it uses");
    const keys = await deployedKeys();
    const { code, output } = await deploy(file("old.json"), "--keep-keys");
    expect([code, await deployedKeys()], output).toEqual([0, keys]);
    await host.start();
    await expectSecretsOpen("After a deploy that keeps the keys");
  });

  it("gives wrangler each secret in a file that is gone, and none as an argument", async () => {
    const { secrets } = (await standIn.account()).workers[WORKER] ?? { secrets: {} };
    const log = (await standIn.takeLog()).join("\n");
    for (const value of Object.values(secrets)) expect(log).not.toContain(value);
    const files = [...log.matchAll(/--secrets-file (\S+)/g)].map(([, name = ""]) => name);
    expect(files.length).toBeGreaterThan(4);
    for (const name of files) await expect(stat(name)).rejects.toThrow("ENOENT");
  });
});
