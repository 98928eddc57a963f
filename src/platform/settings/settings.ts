import type * as z from "zod";
import { cfblSettings } from "./cfbl-key.ts";
import { zoneSettings } from "./delegated-zones.ts";
import { toHostnames } from "./hostnames.ts";
import { toMailPrograms } from "./mail-servers.ts";
import { parseNamedEgresses } from "./named-egresses.ts";
import { findPlaceholders } from "./placeholders.ts";
import { Variables } from "./variables.ts";

/** The variables and secrets of the Worker, as the code reads them. */
export type Settings = ReturnType<typeof toSettings>;

const parsed = new WeakMap<object, Settings>();

/** Returns the settings, parsed once per isolate. Throws an Error that names missing or malformed variables, never a value. */
export function readSettings(env: object): Settings {
  const known = parsed.get(env);
  if (known) return known;
  const { settings, issues } = parseVariables(env);
  if (!settings) throw new Error(`The Worker is not configured: ${issues.join("; ")}`);
  parsed.set(env, settings);
  return settings;
}

/** Returns the settings of an environment, or null with an issue for each variable that is missing or malformed. Pure. */
export function parseVariables(env: object): { settings: Settings | null; issues: string[] } {
  const result = Variables.safeParse(env);
  if (result.success) return { settings: toSettings(result.data), issues: [] };
  const describe = (name: string, message: string) =>
    `${name}: ${(env as Record<string, unknown>)[name] === undefined ? "missing" : message}`;
  return { settings: null, issues: result.error.issues.map(({ path, message }) => describe(path.join("."), message)) };
}

function toSettings(variables: z.output<typeof Variables>) {
  return {
    /** Names of variables that still have a value of local work. Empty in `local`. */
    placeholders: variables.ENVIRONMENT === "local" ? [] : findPlaceholders(variables),
    isLocal: variables.ENVIRONMENT === "local",
    egressUrl: variables.EGRESS_URL,
    /** Empty: `egressUrl`. */
    bulkEgressUrl: variables.BULK_EGRESS_URL,
    namedEgresses: parseNamedEgresses(variables.NAMED_EGRESS_URLS),
    simulatorDomain: variables.SIMULATOR_DOMAIN.toLowerCase(),
    dnsResolverUrl: variables.DNS_RESOLVER_URL,
    mxHost: variables.MX_HOST.toLowerCase(),
    smtpHost: variables.SMTP_HOST,
    smtpPort: variables.SMTP_PORT,
    /** Null: IMAP is not offered. */
    mailPrograms: toMailPrograms(variables),
    gatewaySecret: variables.GATEWAY_SECRET,
    emailWorkerAuthservId: variables.EMAIL_WORKER_AUTHSERV_ID.toLowerCase(),
    spfDomain: variables.SPF_DOMAIN.toLowerCase(),
    bounceDomain: variables.BOUNCE_DOMAIN.toLowerCase(),
    ...cfblSettings(variables.CFBL_DKIM_KEY),
    ...zoneSettings(variables),
    dnsApiUrl: variables.DNS_API_URL.replace(/\/+$/, ""),
    dnsApiToken: variables.DNS_API_TOKEN,
    /** Zones of RHSBL blocklists in which domains are looked up. */
    blocklistZones: variables.DOMAIN_BLOCKLISTS.toLowerCase()
      .split(/\s+/)
      .filter((zone) => zone !== ""),
    publicUrl: variables.PUBLIC_URL.replace(/\/+$/, ""),
    /** Null: customers have no hosts of their own. */
    hostnames: toHostnames(variables),
    retentionDays: variables.RETENTION_DAYS,
    /**
     * Sizes of a mail database in bytes, from which it gets no new workspaces, holds no content, owners are told, and takes no emails of
     * the workspaces above their equal share, and of all.
     */
    shardLimits: {
      placement: variables.SHARD_PLACEMENT_LIMIT,
      content: variables.SHARD_CONTENT_LIMIT,
      warning: variables.SHARD_WARNING_LIMIT,
      accept: variables.SHARD_ACCEPT_LIMIT,
      full: variables.SHARD_ACCEPT_LIMIT * 1.09,
    },
    /** Size of the main database in bytes, from which it takes no imports and templates. */
    mainLimit: variables.MAIN_LIMIT,
    /** 0: no limit. */
    dailyEmailLimit: variables.DAILY_EMAIL_LIMIT,
    /** From which rates a workspace stops itself, as src/sending/rates/rules.ts reads them. */
    bulkPause: {
      bouncePercent: variables.BULK_PAUSE_BOUNCE_PERCENT,
      complaintPercent: variables.BULK_PAUSE_COMPLAINT_PERCENT,
      leastEmails: variables.BULK_PAUSE_LEAST_EMAILS,
    },
    domainRegistrationsPerHour: variables.DOMAIN_REGISTRATIONS_PER_HOUR,
    domainVerificationsPerHour: variables.DOMAIN_VERIFICATIONS_PER_HOUR,
    domainTransfers: variables.DOMAIN_TRANSFERS === "on",
    transferInitiationsPerMinute: variables.TRANSFER_INITIATIONS_PER_MINUTE,
    liveWebhooks: variables.LIVE_WEBHOOKS === "on",
    webhookAllowInsecure: variables.WEBHOOK_ALLOW_INSECURE === "on",
    systemMailbox: variables.SYSTEM_MAILBOX,
    serviceName: variables.SERVICE_NAME,
    securityContact: variables.SECURITY_CONTACT,
    signUp: variables.SIGN_UP,
    slackUrl: variables.SLACK_URL,
    exampleUrl: variables.EXAMPLE_URL,
    google: {
      clientId: variables.GOOGLE_CLIENT_ID,
      clientSecret: variables.GOOGLE_CLIENT_SECRET,
      authorizeUrl: variables.GOOGLE_AUTHORIZE_URL,
      tokenUrl: variables.GOOGLE_TOKEN_URL,
    },
    github: {
      clientId: variables.GITHUB_CLIENT_ID,
      clientSecret: variables.GITHUB_CLIENT_SECRET,
      authorizeUrl: variables.GITHUB_AUTHORIZE_URL,
      tokenUrl: variables.GITHUB_TOKEN_URL,
      apiUrl: variables.GITHUB_API_URL.replace(/\/+$/, ""),
    },
    masterKeys: variables.MASTER_KEYS.split(",").map((entry) => {
      const colon = entry.indexOf(":");
      return { version: Number(entry.slice(0, colon)), key: entry.slice(colon + 1) };
    }),
  };
}
