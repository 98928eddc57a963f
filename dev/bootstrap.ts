// `npm run bootstrap`: creates the first account of a deployment, which becomes its platform admin, and prints a sign-in
// link. The request is signed with the master key, so only the operator can make it; it works once.
//   MASTER_KEYS=<as deployed> npm run bootstrap -- --url https://mail.example.com --email you@example.com
// Without --url it uses the service that `npm start` runs.
import { parseArgs } from "node:util";
import { signAccessToken } from "../src/sessions/index.ts";
import { readSettings } from "../src/settings.ts";
import { readLayout } from "./layout.ts";
import { readLocalService } from "./local-file.ts";
import { loadSecrets } from "./state/secrets.ts";

const USAGE =
  "Usage: npm run bootstrap -- --email <address> [--url <PUBLIC_URL of the deployment, with MASTER_KEYS set>]";

const { email, url } = readArguments(process.argv.slice(2));
const target = await findTarget(url);
// PUBLIC_URL is the issuer of the token, so it must be the one of the deployment.
const settings = readSettings({ MASTER_KEYS: target.masterKeys, PUBLIC_URL: target.url });
const claims = { sub: email, sid: "bootstrap", wid: "bootstrap" };
const { token } = await signAccessToken({ settings, now: Date.now }, "bootstrap", claims);
const request = { method: "POST", headers: { Authorization: `Bearer ${token}` } };
const response = await fetch(`${settings.publicUrl}/auth/bootstrap`, request).catch((error: Error) =>
  exit(`${settings.publicUrl} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`),
);
const text = await response.text();
if (response.status !== 201) exit(`The service refused (${response.status}): ${detailOf(text)}`);
console.log(
  `The first account is ${email}. This link signs in once, within 15 minutes:\n\n${JSON.parse(text).sign_in_url}`,
);

async function findTarget(deployment: string | undefined): Promise<{ url: string; masterKeys: string }> {
  const masterKeys = process.env.MASTER_KEYS;
  if (deployment !== undefined)
    return masterKeys ? { url: deployment, masterKeys } : exit(`MASTER_KEYS is not set.\n${USAGE}`);
  const layout = readLayout(process.env);
  const local = await readLocalService(layout);
  if (!local) return exit(`The local service does not run; start it with npm start.\n${USAGE}`);
  return { url: new URL(local.base_url).origin, masterKeys: (await loadSecrets(layout)).master_keys };
}

function detailOf(body: string): string {
  try {
    return (JSON.parse(body) as { detail: string }).detail;
  } catch {
    return body.slice(0, 200);
  }
}

function readArguments(args: string[]): { email: string; url: string | undefined } {
  try {
    const { values } = parseArgs({ args, options: { email: { type: "string" }, url: { type: "string" } } });
    return values.email ? { email: values.email, url: values.url } : exit(USAGE);
  } catch (error) {
    return exit(`${(error as Error).message}\n${USAGE}`);
  }
}

function exit(message: string): never {
  console.error(message);
  process.exit(1);
}
