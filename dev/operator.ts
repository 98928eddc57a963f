import { type AccessTokenKind, signAccessToken } from "../src/access/sessions/access-token.ts";
import { readSettings } from "../src/platform/settings/settings.ts";
import { readLayout } from "./layout.ts";
import { readLocalService } from "./local-file.ts";
import { loadSecrets } from "./state/secrets.ts";

/** A request of the operator gets a response within this time, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** A running service and its master keys, which prove that a request is from its operator. */
export interface Target {
  url: string;
  masterKeys: string;
}

/**
 * Returns the deployment at `url` with the MASTER_KEYS of the environment, or the service that `npm start` runs. Throws an
 * Error that says what is missing.
 */
export async function findTarget(url: string | undefined): Promise<Target> {
  const { MASTER_KEYS: masterKeys } = process.env;
  if (url !== undefined) {
    if (!masterKeys) throw new Error("The environment variable MASTER_KEYS is not set.");
    return { url: url.replace(/\/+$/, ""), masterKeys };
  }
  const layout = readLayout(process.env);
  const local = await readLocalService(layout);
  if (!local) throw new Error("The local service does not run; start it with npm start.");
  return { url: new URL(local.base_url).origin, masterKeys: (await loadSecrets(layout)).master_keys };
}

/** Returns a token of the operator, signed with the newest master key, which is valid for 60 minutes. */
export async function operatorToken(target: Target, kind: AccessTokenKind, subject: string): Promise<string> {
  // PUBLIC_URL is the issuer of the token, so it must be the one of the deployment.
  const settings = readSettings({ MASTER_KEYS: target.masterKeys, PUBLIC_URL: target.url });
  const claims = { sub: subject, sid: "operator", wid: "operator" };
  return (await signAccessToken({ settings, now: Date.now }, kind, claims)).token;
}

/** A service that responded to a request of the operator with a status that is not 2xx. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(`The service refused (${status}): ${detail}`);
    this.status = status;
  }
}

/**
 * Sends a request of the operator, signed with the newest master key. Throws a RefusedError with the service's reason, and another
 * Error when it does not respond.
 */
export async function askAsOperator<Reply>(
  target: Target,
  path: string,
  { kind, subject, body }: { kind: AccessTokenKind; subject: string; body?: unknown },
): Promise<Reply> {
  const token = await operatorToken(target, kind, subject);
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const response = await fetch(target.url + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body ?? {}),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new Error(`${target.url} does not respond: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  const text = await response.text();
  if (!response.ok) throw new RefusedError(response.status, detailOf(text));
  return JSON.parse(text) as Reply;
}

/** Returns the `detail` of an error of the API as JSON, or the beginning of another body. */
export function detailOf(body: string): string {
  try {
    return JSON.stringify((JSON.parse(body) as { detail: unknown }).detail);
  } catch {
    return body.slice(0, 200);
  }
}
