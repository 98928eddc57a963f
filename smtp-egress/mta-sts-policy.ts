/** The MTA-STS policy of a domain (RFC 8461 3.2). */
export interface Policy {
  mode: "enforce" | "testing" | "none";
  /** Names of MX hosts; `*.` stands for one label. */
  mx: readonly string[];
  maxAgeMs: number;
}

/** The longest time for which a policy may hold, in s (RFC 8461 3.2). */
const MAX_AGE_S = 31_557_600;
const SECOND_MS = 1_000;
const HOST = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** Returns the id of the policy that TXT records announce, or null: exactly one record must (RFC 8461 3.1). Pure. */
export function policyId(texts: readonly string[]): string | null {
  const announcements = texts.filter((text) => /^v=STSv1[ \t]*;/.test(text));
  const [only = ""] = announcements;
  return announcements.length === 1 ? (/;[ \t]*id=([A-Za-z0-9]{1,32})[ \t]*(?:;|$)/.exec(only)?.[1] ?? null) : null;
}

/** Parses a policy. Returns null when it is malformed. Pure. */
export function parsePolicy(text: string): Policy | null {
  const fields = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => /^([a-z0-9_.-]+)[ \t]*:(.*)$/is.exec(line));
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2]?.trim() ?? ""] : []));
  const [version] = valuesOf("version");
  const [mode = ""] = valuesOf("mode");
  const [maxAge = ""] = valuesOf("max_age");
  const mx = valuesOf("mx").map((host) => host.toLowerCase());
  const isMode = mode === "enforce" || mode === "testing" || mode === "none";
  if (fields.includes(null) || version !== "STSv1" || !isMode || !/^\d{1,10}$/.test(maxAge)) return null;
  if (!mx.every((host) => HOST.test(host)) || (mode !== "none" && mx.length === 0)) return null;
  return { mode, mx, maxAgeMs: Math.min(Number(maxAge), MAX_AGE_S) * SECOND_MS };
}

/** Returns whether a policy names a host. Pure. */
export function namesHost({ mx }: Policy, host: string): boolean {
  const parent = host.slice(host.indexOf(".") + 1);
  return mx.some((name) => name === host || (name.startsWith("*.") && name.slice(2) === parent));
}
