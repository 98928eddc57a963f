// `npm run deploy -- --env production|staging`: creates what an environment needs and deploys it (docs/operating.md).
//   --dry-run          checks the settings, builds the Worker, prints each step, and makes no request
//   --settings <file>  instead of environments/<env>.json
//   --secrets <file>   instead of .dev/<env>.secrets.json; its secrets are made once and kept
//   --keep-keys        leaves MASTER_KEYS of the Worker as they are, for a Worker that cannot be asked which keys it uses
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { readArguments } from "./arguments.ts";
import { findRefusals } from "./deploy/check.ts";
import {
  type ComposedConfig,
  composeConfig,
  ENVIRONMENTS,
  type EnvironmentFile,
  type EnvironmentName,
  queueNames,
  readWorkerConfig,
  usesEmailRouting,
} from "./deploy/compose.ts";
import { printNext } from "./deploy/print-next.ts";
import { composeSecrets, hasMasterKeys, type Secrets, saveSecrets } from "./deploy/secrets.ts";
import {
  command,
  createDatabases,
  createStores,
  enableEmailRouting,
  gzipSize,
  listDeployedSecrets,
} from "./deploy/steps.ts";
import { ROOT } from "./layout.ts";
import { checkKeys } from "./rotation/check-keys.ts";

/** Id of a database that a dry run has not created. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

const KEEP_KEYS = "With --keep-keys it is deployed all the same, and the Worker keeps the master keys that it has.";

const usage = "deploy -- --env production|staging [--dry-run] [--settings <file>] [--secrets <file>] [--keep-keys]";
const { values } = readArguments({
  usage,
  options: {
    env: { type: "string" },
    "dry-run": { type: "boolean" },
    settings: { type: "string" },
    secrets: { type: "string" },
    "keep-keys": { type: "boolean" },
  },
});
try {
  await deploy();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

async function deploy(): Promise<void> {
  const environment = ENVIRONMENTS.find((name) => name === values.env);
  if (!environment) throw new Error(`Usage: npm run ${usage}`);
  const file = path.resolve(ROOT, values.settings ?? `environments/${environment}.json`);
  const secretsFile = path.resolve(ROOT, values.secrets ?? `.dev/${environment}.secrets.json`);
  const { stored, config } = await compose(environment, file);
  const refusals = findRefusals(config, stored, path.relative(ROOT, file));
  if (refusals.length > 0) throw new Error(`Nothing was deployed.\n${refusals.join("\n")}`);
  const isDry = values["dry-run"] === true;
  const step = (text: string) => console.log(`${isDry ? "would" : "now  "}  ${text}`);
  const hasEmailRouting = usesEmailRouting(stored);

  console.log(
    "The account needs the Workers Paid plan: the Worker uses up to 30 s of CPU and databases of up to 10 GB.",
  );
  step(`make the secrets that are missing in ${path.relative(ROOT, secretsFile)}`);
  const secrets = isDry ? {} : await makeSecrets(config, secretsFile);
  step(
    `create the databases ${config.d1_databases.map(({ database_name }) => database_name).join(", ")}, where missing`,
  );
  if (!isDry) await createDatabases(config, file);
  step(
    `create the bucket ${config.r2_buckets.map(({ bucket_name }) => bucket_name).join(", ")} with a rule that ends uploads unfinished for a day, and the queues ${queueNames(config).join(", ")}, where missing`,
  );
  if (!isDry) await createStores(config);
  const configFile = await writeConfig(environment, file);
  step(`apply the migrations of both kinds (${path.relative(ROOT, configFile)})`);
  if (!isDry) await command("node", [path.join(ROOT, "dev/migrate.ts"), "--remote", "--config", configFile]);
  if (hasEmailRouting) {
    step(`turn on Email Routing of the zone ${config.vars.BOUNCE_DOMAIN}; its mail goes to the Worker`);
    if (!isDry) await enableEmailRouting(config.vars.BOUNCE_DOMAIN ?? "");
  }
  step("deploy the Worker");
  if (!isDry) await deployWorker(configFile, secrets);
  else {
    const folder = path.join(ROOT, ".wrangler/dry-run", environment);
    const output = await command("wrangler", ["deploy", "--config", configFile, "--dry-run", "--outdir", folder]);
    console.log(`The bundle has ${gzipSize(output)} KiB after gzip.`);
  }
  printNext(config.vars, { settings: file, secrets: secretsFile }, hasEmailRouting, secrets.CFBL_DKIM_KEY ?? "");
}

/**
 * Makes the secrets that are missing, before anything is created, and returns them. Throws an Error when the Worker has master keys
 * and those of the file must not replace them. With --keep-keys those of the Worker stay, and the result has none.
 */
async function makeSecrets({ name, vars }: ComposedConfig, file: string): Promise<Secrets> {
  const secrets = await composeSecrets(file, process.env);
  const isDeployed = (await listDeployedSecrets(name)).includes("MASTER_KEYS");
  if (isDeployed && !(await hasMasterKeys(file))) {
    throw new Error(
      `Nothing was deployed.\n${name} has MASTER_KEYS, but ${file} does not. Copy the file from where it was made; new keys ` +
        "would make every stored secret unreadable.",
    );
  }
  const { MASTER_KEYS: masterKeys = "", ...others } = secrets;
  const keepsKeys = isDeployed && values["keep-keys"] === true;
  if (isDeployed && !keepsKeys) {
    const target = { url: (vars.PUBLIC_URL ?? "").replace(/\/+$/, ""), masterKeys };
    const refusal = await checkKeys(target, name, file).catch((error: Error) => error.message);
    if (refusal) throw new Error(`Nothing was deployed.\n${refusal}\n${KEEP_KEYS}`);
  }
  await saveSecrets(file, secrets);
  return keepsKeys ? others : secrets;
}

/** Deploys the Worker with its secrets, which no argument and no lasting file but that of the environment has. */
async function deployWorker(configFile: string, secrets: Secrets): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "email-delivery-secrets-"));
  try {
    const file = path.join(folder, "secrets.json");
    await saveSecrets(file, secrets);
    await command("wrangler", ["deploy", "--config", configFile, "--strict", "--secrets-file", file]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compose(environment: EnvironmentName, file: string) {
  const stored = JSON.parse(await readFile(file, "utf8")) as EnvironmentFile;
  return { stored, config: composeConfig(readWorkerConfig(), environment, stored) };
}

/** Writes the configuration of the environment, with the ids of its databases. */
async function writeConfig(environment: EnvironmentName, file: string): Promise<string> {
  const { config } = await compose(environment, file);
  const d1_databases = config.d1_databases.map((one) => ({ ...one, database_id: one.database_id || NO_ID }));
  const configFile = path.join(ROOT, `wrangler.${environment}.json`);
  await writeFile(configFile, `${JSON.stringify({ ...config, d1_databases }, null, 2)}\n`);
  return configFile;
}
