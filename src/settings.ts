import { z } from "zod";

/** Settings of a deployment, read from the Worker's variables and secrets. */
const Variables = z.object({
  /** Where mail goes out: smtps://user:password@host, smtp://… (STARTTLS), ?tls=off for plain. Secret. Empty: no egress. */
  EGRESS_URL: z.string().default(""),
  /** Mail to this domain runs through everything and never leaves (decisions 4). */
  SIMULATOR_DOMAIN: z.string().default("simulator.test"),
  /** `1:<base64 of 32 octets>`, several joined by commas; the last one encrypts and hashes anew. Secret. */
  MASTER_KEYS: z
    .string()
    .regex(/^\d+:[A-Za-z0-9+/]{43}=(,\d+:[A-Za-z0-9+/]{43}=)*$/, "MASTER_KEYS must be <version>:<base64 of 32 octets>"),
});

export interface Settings {
  egressUrl: string;
  simulatorDomain: string;
  masterKeys: { version: number; key: string }[];
}

const parsed = new WeakMap<object, Settings>();

/**
 * Reads the settings, once an isolate for each environment object. Throws with the name of the variable
 * that is missing or malformed, never with its value.
 */
export function readSettings(env: object): Settings {
  const known = parsed.get(env);
  if (known) return known;
  const result = Variables.safeParse(env);
  if (!result.success) {
    const names = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`The Worker is not configured: ${names.join("; ")}`);
  }
  const settings = {
    egressUrl: result.data.EGRESS_URL,
    simulatorDomain: result.data.SIMULATOR_DOMAIN.toLowerCase(),
    masterKeys: result.data.MASTER_KEYS.split(",").map((entry) => {
      const colon = entry.indexOf(":");
      return { version: Number(entry.slice(0, colon)), key: entry.slice(colon + 1) };
    }),
  };
  parsed.set(env, settings);
  return settings;
}
