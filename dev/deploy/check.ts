import { randomBytes } from "node:crypto";
import { parseAddress } from "../../src/lib/addresses.ts";
import { parseVariables } from "../../src/platform/settings/settings.ts";
import { BOUNCE_ROUTES, type ComposedConfig, type EnvironmentFile } from "./compose.ts";

/** The meaning of each variable, for the sentence that refuses a placeholder. */
const meanings: Readonly<Record<string, string>> = {
  PUBLIC_URL: "the https address at which customers reach the service",
  MX_HOST: "the host name of your MX gateway",
  SMTP_HOST: "the host name at which customers submit mail",
  SPF_DOMAIN: "the domain of the SPF record that lists your egress",
  BOUNCE_DOMAIN: "the domain that receives bounces",
  DNS_RESOLVER_URL: "a DNS over HTTPS resolver",
};

/** Returns a sentence for each value of an environment's file that is malformed or still a placeholder. Pure. */
export function findRefusals(
  { vars }: Pick<ComposedConfig, "vars">,
  stored: Pick<EnvironmentFile, "bounce_route">,
  file: string,
): string[] {
  // The key is not a variable of the file. It is only needed to parse the others.
  const { settings, issues } = parseVariables({ ...vars, MASTER_KEYS: `1:${randomBytes(32).toString("base64")}` });
  const empty = Object.keys(meanings).filter((name) => vars[name] === "");
  const placeholders = [...new Set([...empty, ...(settings?.placeholders ?? [])])];
  const malformed = issues.filter((issue) => !empty.some((name) => issue.startsWith(`${name}:`)));
  return [
    ...findRouteRefusals(stored, file),
    ...placeholders.map((name) => `${name} is a placeholder; set ${meanings[name] ?? "it"} in ${file}.`),
    ...(vars.SYSTEM_MAILBOX && !parseAddress(vars.SYSTEM_MAILBOX)
      ? [`SYSTEM_MAILBOX: not an email address; set the bare address of a mailbox (${file})`]
      : []),
    ...malformed.map((issue) => `${issue} (${file})`),
  ];
}

function findRouteRefusals({ bounce_route = BOUNCE_ROUTES[0] }: Pick<EnvironmentFile, "bounce_route">, file: string) {
  if (BOUNCE_ROUTES.some((route) => route === bounce_route)) return [];
  return [`bounce_route is "${bounce_route}"; set one of ${BOUNCE_ROUTES.join(", ")} in ${file}.`];
}
