/** The commands of wrangler in the documents, run against a stand-in whose account has one deployment, as `npm run deploy` makes it. */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { composeConfig, readWorkerConfig } from "../../dev/deploy/compose.ts";
import { composeSecrets, type Secrets } from "../../dev/deploy/secrets.ts";
import { readConfig } from "../../mail-gateway/config.ts";
import { commandsOf, namedCommands, readBlocks, readDocuments } from "./support/documents.ts";
import { StandIn } from "./support/stand-in.ts";
import { temporaryFolder } from "./support/suite.ts";

const documents = readDocuments();
const config = composeConfig(readWorkerConfig(), "production", {
  vars: { PUBLIC_URL: "https://mail.shop.se", BOUNCE_DOMAIN: "bounces.shop.se" },
  databases: {},
});

/** Each command of wrangler that a document names, in one line. */
const commands = documents.flatMap(({ file, text }) => {
  const joined = text.replace(/`[^`\n]+\n[^`\n]+`/g, (code) => code.replace(/\s+/g, " "));
  // `wrangler dev` and `wrangler types` are about local work.
  const named = namedCommands({ file, text: joined }, /npx wrangler (?!dev\b|types\b)/);
  return [...new Set(named.map((call) => call.replace(/[.,:)]+$/, "")))].map((command) => ({ file, command }));
});

const folder = temporaryFolder();
let standIn: StandIn;
let secrets: Secrets;
const file = (name: string) => path.join(folder, name);

beforeAll(async () => {
  standIn = await StandIn.create(folder);
  secrets = await composeSecrets(file("none.json"), {
    ...process.env,
    EGRESS_URL: "smtps://user:hunter2@relay.shop.se",
  });
  await writeFile(file("production.secrets.json"), JSON.stringify(secrets));
  await writeFile(file("wrangler.production.json"), JSON.stringify(config));
  const databases = config.d1_databases.map(({ database_name }) => database_name);
  await standIn.save({ ...(await standIn.account()), workers: { [config.name]: { secrets: {} } }, databases });
});
/** Puts the values of the deployment in place of those of the documents. Throws an Error when one is left. */
function fillIn(command: string): string {
  const values: [RegExp, string][] = [
    [/wrangler\.production\.json/g, file("wrangler.production.json")],
    [/\.dev\/production\.secrets\.json/g, file("production.secrets.json")],
    [/<bucket>/g, "email-delivery-production-content"],
    [/<old database>/g, config.d1_databases[0]?.database_name ?? ""],
    [/<name>/g, "another-database"],
    [/<time>/g, "2026-11-22T00:00:00Z"],
  ];
  const filled = values.reduce((text, [pattern, value]) => text.replace(pattern, value), command);
  if (/<\w/.test(filled)) throw new Error(`the test has no value for a part of: ${filled}`);
  return filled;
}

describe("the commands of wrangler in the documents", () => {
  it("are those of the deployment, and one that lacks --config is about another Worker, which the account does not have", async () => {
    expect(commands.length).toBeGreaterThan(8);
    const plain = await standIn.run("npx wrangler tail");
    expect(plain).toEqual({ code: 1, output: 'Worker "email-delivery" not found.\n' });
    const put = await standIn.run("echo x | npx wrangler secret put GATEWAY_SECRET");
    expect(put).toEqual({ code: 1, output: 'Worker "email-delivery" not found.\n' });
    expect((await standIn.run("npx wrangler d1 time-travel info DB")).code).toBe(1);
  });

  it.each(commands)("reach the Worker and the databases of the environment: $file: $command", async ({ command }) => {
    const { code, output } = await standIn.run(fillIn(command));
    expect(code, output).toBe(0);
  });

  it("give the Worker the secrets of the file, and make none", async () => {
    expect((await standIn.account()).workers).toEqual({ [config.name]: { secrets } });
    expect(commands.filter(({ command }) => command.includes("secret put"))).toEqual([]);
  });
});

it("the gateway has the secret that deploy made, by the command of its page", async () => {
  const page = documents.filter((document) => document.file === "docs/operating/gateway.md");
  const [found = "", ...others] = page.flatMap(readBlocks).flatMap(commandsOf);
  expect(others).toEqual([]);
  const [first = "", second = ""] = found.split(" | ssh root@mx.example.com ");
  const target = file("mail-gateway.secret");
  const remote = second.replace(/^'|'$/g, "").replace("/etc/mail-gateway.secret", target);
  const read = first.replace("./.dev/production.secrets.json", file("production.secrets.json"));
  execFileSync("sh", ["-c", `${read} | (${remote})`]);
  const tls = { TLS_KEY_FILE: "key.pem", TLS_CERTIFICATE_FILE: "certificate.pem" };
  const gateway = { WORKER_URL: "https://mail.shop.se", MX_PORTS: "25", GATEWAY_SECRET_FILE: target, ...tls };
  expect(readConfig(gateway).secret).toBe(secrets.GATEWAY_SECRET);
});
