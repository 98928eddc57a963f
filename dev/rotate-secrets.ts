// `npm run rotate-secrets`: replaces the master key of a deployment, in steps (docs/operating/secrets.md).
//   npm run rotate-secrets -- --add      writes a new key, which nothing uses yet, to the file of the secrets
//   npm run rotate-secrets -- --use      puts that key in use in the file, once the deployment knows it
//   npm run rotate-secrets               encrypts all stored secrets under the new key, and says what the old one still does
//   npm run rotate-secrets -- --remove   does the same, and then removes the older keys from the file, unless something would end by that
//   npm run rotate-secrets -- --remove --even-so   removes them all the same, as when a key has leaked
// All take --env production|staging; without it they use the service that `npm start` runs. --settings and --secrets are those of
// `npm run deploy`.
import { randomBytes } from "node:crypto";
import type { RotationReport } from "../src/operations/secret-rotation/report.ts";
import type { Cursor } from "../src/operations/secret-rotation/rewrap.ts";
import { readSettings } from "../src/platform/settings/settings.ts";
import { readArguments } from "./arguments.ts";
import { askAsOperator, type Target } from "./operator.ts";
import { checkKeys } from "./rotation/check-keys.ts";
import { type KeyStore, openKeyStore } from "./rotation/key-store.ts";
import { printReport } from "./rotation/print-report.ts";

interface Step {
  version: number;
  rewrapped: number;
  next: Cursor | null;
  report: RotationReport | null;
}

type Store = KeyStore & { masterKeys: string };

/** Requests that must all know the new key. Each may reach another isolate. */
const PROBES = 20;

const usage =
  "rotate-secrets -- [--add | --use | --remove [--even-so]] [--local | --env production|staging [--settings <file>] [--secrets <file>]]";
const { values } = readArguments({
  usage,
  options: {
    add: { type: "boolean" },
    use: { type: "boolean" },
    remove: { type: "boolean" },
    "even-so": { type: "boolean" },
    local: { type: "boolean" },
    env: { type: "string" },
    settings: { type: "string" },
    secrets: { type: "string" },
  } as const,
});
try {
  if (values.local && values.env !== undefined) throw new Error("Give one of --env and --local.");
  if (values["even-so"] && !values.remove) throw new Error("--even-so is an option of --remove.");
  const store = await openKeyStore(values);
  if (values.add) await addKey(store);
  else if (values.use) await useNewestKey(store);
  else await rewrapAll(store, values.remove === true, values["even-so"] === true);
} catch (error) {
  console.error((error as Error).message);
  console.error(`Usage: npm run ${usage}`);
  process.exit(1);
}

/** Stores the master keys with a new one at the front: the service accepts it and does not use it. Adds one at a time. */
async function addKey(store: Store): Promise<void> {
  // A second machine may have rotated since, and its new key would have the same number.
  const refusal =
    values.env === undefined ? null : await checkKeys(await store.target(), `the Worker of ${values.env}`, store.name);
  if (refusal) throw new Error(refusal);
  const keys = sorted(store);
  const newest = keys.at(-1);
  const isWaiting = newest !== undefined && !store.masterKeys.endsWith(`${newest.version}:${newest.key}`);
  const version = (newest?.version ?? 0) + 1;
  if (isWaiting) console.log(`Key ${newest.version} was added before and is not used yet.`);
  else await store.save(`${version}:${randomBytes(32).toString("base64")},${store.masterKeys}`);
  printNext(store, "--use");
}

/** Stores the master keys with the newest one at the end, which the service uses. Throws an Error when it does not know it. */
async function useNewestKey(store: Store): Promise<void> {
  const keys = sorted(store);
  const fresh = keys.map(({ version, key }) => `${version}:${key}`).join(",");
  const target: Target = { ...(await store.target()), masterKeys: fresh };
  // The request is signed with the newest key. Its cursor is after every row, so it changes nothing.
  const probe = { kind: "rotation", subject: "operator", body: { column: 0, after: "~" } } as const;
  for (let i = 0; i < PROBES; i++)
    await askAsOperator<Step>(target, "/auth/rotate-secrets", probe).catch((error: Error) => {
      throw new Error(
        `The service does not know key ${keys.at(-1)?.version} everywhere yet; wait a minute. ${error.message}`,
      );
    });
  await store.save(fresh);
  printNext(store, "");
}

/** Encrypts all stored secrets again. Removes the older keys then, if it is asked to; when something ends by that, only `evenSo`. */
async function rewrapAll(store: Store, removesOlder: boolean, evenSo: boolean): Promise<void> {
  const target = await store.target();
  const newest = sorted(store).at(-1);
  let total = 0;
  let isSafe = false;
  for (let cursor: Cursor | null = { column: 0, after: "" }; cursor !== null; ) {
    const request = { kind: "rotation", subject: "operator", body: cursor } as const;
    const step: Step = await askAsOperator<Step>(target, "/auth/rotate-secrets", request);
    if (removesOlder && step.version !== newest?.version)
      throw new Error(`The service still uses key ${step.version}; key ${newest?.version} must be in use.`);
    total += step.rewrapped;
    cursor = step.next;
    if (step.report) isSafe = printReport(total, step.version, step.report);
  }
  if (!removesOlder || !newest) return;
  if (!isSafe && !evenSo)
    throw new Error(
      `The older keys stay in ${store.name}. Wait until nothing ends without them, or add --even-so when a key has leaked.`,
    );
  await store.save(`${newest.version}:${newest.key}`);
  console.log(`\nThe file ${store.name} has only key ${newest.version} now.`);
  printNext(store, null);
}

/** Says how the service gets the stored keys, and which step is next; null: none. */
function printNext({ name, publish, options }: Store, step: string | null): void {
  const given = [step, options].filter(Boolean).join(" ");
  const command = `npm run rotate-secrets${given === "" ? "" : ` -- ${given}`}`;
  const isLocal = options === "";
  const last = step === null ? "." : isLocal ? `, then run ${command}.` : `Then run ${command}`;
  console.log(`The keys are stored in ${name}. ${publish}${step === null && !isLocal ? "" : last}`);
}

/** Returns the master keys by version, the newest one last. */
function sorted({ masterKeys }: Store) {
  return [...readSettings({ MASTER_KEYS: masterKeys }).masterKeys].sort((a, b) => a.version - b.version);
}
