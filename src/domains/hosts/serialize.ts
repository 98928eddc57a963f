import type { Settings } from "../../platform/settings/settings.ts";
import { type HostProblem, type HostPurpose, hostLabels, hostProblems } from "./rules.ts";

/** Returns the origin of a host's links, with scheme and port of PUBLIC_URL; the service's own when there is, or may be, none. Pure. */
export function linkUrl(
  { publicUrl, hostnames }: Pick<Settings, "publicUrl" | "hostnames">,
  host: string | null,
): string {
  if (host === null || hostnames === null) return publicUrl;
  const { protocol, port } = new URL(publicUrl);
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
}

/** Returns a domain's host of a purpose as the API shows it; null when the deployment offers none. `hosts`: rows of the domain. Pure. */
export function toHost(
  { hostnames }: Pick<Settings, "hostnames">,
  domain: string,
  purpose: HostPurpose,
  hosts: readonly { purpose: HostPurpose; status: string; problem: string | null }[],
): { name: string; status: "pending" | "active" | "failed"; detail: string | null } | null {
  if (hostnames === null) return null;
  const name = `${hostLabels[purpose]}.${domain}`;
  const row = hosts.find((host) => host.purpose === purpose);
  if (!row) return { name, status: "pending", detail: "Publish its CNAME record, then check the records." };
  const status = row.status === "active" || row.status === "failed" ? row.status : "pending";
  const problem = row.problem as Exclude<HostProblem, "ready"> | null;
  return { name, status, detail: status === "active" || problem === null ? null : hostProblems[problem] };
}
