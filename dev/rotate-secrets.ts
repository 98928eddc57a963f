// `npm run rotate-secrets`: replaces the master key of a deployment, in steps (docs/operating/secrets.md).
//   npm run rotate-secrets -- --add   prints MASTER_KEYS with a new key that nothing uses yet; set it as the secret
//   npm run rotate-secrets -- --use   prints MASTER_KEYS with that key in use, once the deployment knows it; set it too
//   npm run rotate-secrets            encrypts all stored secrets under the new key, and says when the old one may go
// All take --url <PUBLIC_URL> with MASTER_KEYS set; without it they use the service that `npm start` runs.
import { randomBytes } from "node:crypto";
import type { RotationReport } from "../src/secret-rotation/report.ts";
import type { Cursor } from "../src/secret-rotation/rewrap.ts";
import { readSettings } from "../src/settings.ts";
import { readArguments } from "./arguments.ts";
import { readLayout } from "./layout.ts";
import { askAsOperator, findTarget, type Target } from "./operator.ts";
import { loadSecrets, saveSecrets } from "./state/secrets.ts";

interface Step {
  version: number;
  rewrapped: number;
  next: Cursor | null;
  report: RotationReport | null;
}

/** Requests that must all know the new key. Each may reach another isolate. */
const PROBES = 20;

const usage = "rotate-secrets -- [--add | --use] [--url <PUBLIC_URL of a deployment, with MASTER_KEYS set>]";
const options = { add: { type: "boolean" }, use: { type: "boolean" }, url: { type: "string" } } as const;
const { values } = readArguments({ usage, options });
try {
  if (values.add) await addKey(values.url);
  else if (values.use) await useNewestKey(await findTarget(values.url), values.url === undefined);
  else await rewrapAll(await findTarget(values.url));
} catch (error) {
  console.error((error as Error).message);
  console.error(`Usage: npm run ${usage}`);
  process.exit(1);
}

/** Prints the master keys with a new one at the front: the service accepts it and does not use it. */
async function addKey(url: string | undefined): Promise<void> {
  const layout = readLayout(process.env);
  const old = url === undefined ? (await loadSecrets(layout)).master_keys : (await findTarget(url)).masterKeys;
  const { masterKeys } = readSettings({ MASTER_KEYS: old });
  const version = Math.max(...masterKeys.map((key) => key.version)) + 1;
  const fresh = `${version}:${randomBytes(32).toString("base64")},${old}`;
  await publish(fresh, url === undefined, "--use");
}

/** Prints the master keys with the newest one at the end, which the service uses. Throws an Error when it does not know it. */
async function useNewestKey(target: Target, isLocal: boolean): Promise<void> {
  const { masterKeys } = readSettings({ MASTER_KEYS: target.masterKeys });
  const newest = masterKeys.reduce((a, b) => (b.version > a.version ? b : a));
  const ordered = [...masterKeys.filter((key) => key !== newest), newest];
  const fresh = ordered.map(({ version, key }) => `${version}:${key}`).join(",");
  // The request is signed with the newest key. Its cursor is after every row, so it changes nothing.
  const probe = { kind: "rotation", subject: "operator", body: { column: 0, after: "~" } } as const;
  for (let i = 0; i < PROBES; i++)
    await askAsOperator<Step>({ ...target, masterKeys: fresh }, "/auth/rotate-secrets", probe).catch((error: Error) => {
      throw new Error(
        `The service does not know key ${newest.version} everywhere yet; wait a minute. ${error.message}`,
      );
    });
  await publish(fresh, isLocal, null);
}

/** Prints the new value of MASTER_KEYS, or stores it for the next `npm start`. `next` is the option of the next step. */
async function publish(masterKeys: string, isLocal: boolean, next: string | null): Promise<void> {
  const command = `npm run rotate-secrets${next === null ? "" : ` -- ${next}`}`;
  if (!isLocal)
    return console.log(
      `Set this secret with npx wrangler secret put MASTER_KEYS, then run ${command}:\n\n${masterKeys}`,
    );
  const layout = readLayout(process.env);
  await saveSecrets(layout, { ...(await loadSecrets(layout)), master_keys: masterKeys });
  console.log(`The keys are stored. Restart npm start, then run ${command}.`);
}

async function rewrapAll(target: Target): Promise<void> {
  let total = 0;
  for (let cursor: Cursor | null = { column: 0, after: "" }; cursor !== null; ) {
    const request = { kind: "rotation", subject: "operator", body: cursor } as const;
    const step: Step = await askAsOperator<Step>(target, "/auth/rotate-secrets", request);
    total += step.rewrapped;
    cursor = step.next;
    if (step.report) print(total, step.version, step.report);
  }
}

function print(rewrapped: number, version: number, report: RotationReport): void {
  const { apiKeys, sessions, sessionsExpireAt, usersWithRecoveryCodes } = report;
  console.log(`${rewrapped} stored secrets were encrypted again; all are under key ${version}.`);
  console.log("\nWhen the older keys are removed from MASTER_KEYS, these end:");
  console.log(`- ${apiKeys.length} API keys that were not used since key ${version} is in use`);
  for (const key of apiKeys)
    console.log(`    ${key.prefix}…  ${key.name} (${key.workspace}), last used ${day(key.last_used_at)}`);
  const expiry = sessionsExpireAt === null ? "" : `; the last one expires ${day(sessionsExpireAt)}`;
  console.log(`- ${sessions} sessions that were not refreshed since${expiry}`);
  console.log(`- the recovery codes of ${usersWithRecoveryCodes} users`);
  console.log(`- tracking and unsubscribe links, and return paths, in emails sent before key ${version} was used`);
  const isSafe = apiKeys.length + sessions + usersWithRecoveryCodes === 0;
  console.log(
    isSafe ? "\nOnly the links in older emails still need the older keys." : "\nRun this command again later.",
  );
}

function day(at: number | null): string {
  return at === null ? "never" : new Date(at).toISOString().slice(0, 10);
}
