type Name = "HOSTNAME_ZONE_ID" | "HOSTNAME_API_TOKEN" | "HOSTNAME_TARGET" | "HOSTNAME_API_URL";

/** The zone of the hosts of customers, and the target of their CNAME records. */
export interface HostnameSettings {
  apiUrl: string;
  zoneId: string;
  token: string;
  target: string;
}

/** Returns where the hosts of customers are made. Null: the deployment offers none. Pure. */
export function toHostnames(variables: Readonly<Record<Name, string>>): HostnameSettings | null {
  const { HOSTNAME_ZONE_ID: zoneId, HOSTNAME_API_TOKEN: token, HOSTNAME_TARGET: target } = variables;
  if (zoneId === "" || token === "" || target === "") return null;
  return { apiUrl: variables.HOSTNAME_API_URL.replace(/\/+$/, ""), zoneId, token, target: target.toLowerCase() };
}
