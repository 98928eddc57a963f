import * as z from "zod";

/** From which rates of the last hour a workspace stops itself (src/sending/rates/rules.ts). */
export const BULK_PAUSE_DEFAULTS = { bouncePercent: 5, complaintPercent: 0.3, leastEmails: 200 } as const;

const SERVICE_NAME = "Email service";

/** Returns the name of the service without the other variables, of which one may be malformed. */
export const serviceNameOf = (env: { SERVICE_NAME?: string }): string => env.SERVICE_NAME ?? SERVICE_NAME;

/** The variables and secrets of the Worker. */
export const Variables = z.object({
  /** Outside of `local`, placeholders are errors (src/platform/settings/placeholders.ts) and hold all mail. */
  ENVIRONMENT: z.enum(["local", "staging", "production"]).default("local"),
  /** SMTP egress: smtps://user:password@host, smtp://… (STARTTLS), ?tls=off for plain text. Secret. Empty: no egress. */
  EGRESS_URL: z.string().default(""),
  /** The same for broadcasts and bulk sends, so that their reputation is apart. Secret. Empty: that of EGRESS_URL. */
  BULK_EGRESS_URL: z.string().default(""),
  /**
   * Further egresses by name, `<name>=<URL>` separated by spaces or lines (src/platform/settings/named-egresses.ts), for workspaces and
   * domains. Secret. A malformed one stops only its own mail.
   */
  NAMED_EGRESS_URLS: z.string().default(""),
  /** Domain whose mail is simulated and never sent to the egress (docs/contract/simulator.md#simulated-recipients). */
  SIMULATOR_DOMAIN: z.string().default("simulator.test"),
  /** DNS over HTTPS resolver (RFC 8484). */
  DNS_RESOLVER_URL: z.url({ protocol: /^https?$/ }).default("https://cloudflare-dns.com/dns-query"),
  /** Host name that the MX records of hosted domains must contain. */
  MX_HOST: z.string().default("mx.mail.test"),
  /** Host name and ports (STARTTLS, TLS) at which customers submit mail by SMTP (mail-gateway/). 0: none with TLS. */
  SMTP_HOST: z.string().default("smtp.mail.test"),
  SMTP_PORT: z.coerce.number().int().min(1).max(65_535).default(587),
  SMTP_TLS_PORT: z.coerce.number().int().min(0).max(65_535).default(465),
  /** Host name and ports (TLS, STARTTLS) at which mail programs read mailboxes. Port 0: none. Empty: IMAP is not offered. */
  IMAP_HOST: z.string().default(""),
  IMAP_PORT: z.coerce.number().int().min(0).max(65_535).default(993),
  IMAP_STARTTLS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Secret that the Worker shares with the mail gateway, at least 32 characters. Empty: no gateway. Secret. */
  GATEWAY_SECRET: z
    .string()
    .regex(/^(.{32,})?$/, "GATEWAY_SECRET must have at least 32 characters")
    .default(""),
  /** Token with which monitoring reads GET /metrics and the details of GET /ready, at least 32 characters. Empty: none. Secret. */
  METRICS_TOKEN: z
    .string()
    .regex(/^(.{32,})?$/, "METRICS_TOKEN must have at least 32 characters")
    .default(""),
  /**
   * Authserv-id (RFC 8601 2.5) of the mail server before the Email Worker: its Authentication-Results are trusted. Empty: none.
   * That of Email Routing is `mx.cloudflare.net`.
   */
  EMAIL_WORKER_AUTHSERV_ID: z
    .string()
    .max(253)
    .regex(/^([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)?$/, "EMAIL_WORKER_AUTHSERV_ID must be a host name")
    .default(""),
  /** Domain of the SPF record that lists the egress. Customers include it in theirs. */
  SPF_DOMAIN: z.string().default("spf.mail.test"),
  /** Zones of blocklists of domain names (RHSBL), separated by spaces, at most 5. Empty: none is asked (docs/operating/settings.md). */
  DOMAIN_BLOCKLISTS: z
    .string()
    .regex(
      /^\s*(?:(?:[A-Za-z0-9_-]{1,63}\.)+[A-Za-z0-9-]{1,63}(?:\s+|$)){0,5}$/,
      "DOMAIN_BLOCKLISTS must be up to 5 zones, separated by spaces",
    )
    .default(""),
  /** Domain of the return path, which receives bounces. */
  BOUNCE_DOMAIN: z.string().default("bounces.mail.test"),
  /** DKIM keys of BOUNCE_DOMAIN (src/platform/settings/cfbl-key.ts), for RFC 9477. Secret. Empty: bulk mail has no CFBL-Address. */
  CFBL_DKIM_KEY: z.string().default(""),
  /**
   * Zones in which the service publishes records of delegated domains, `<zone>=<zone id>:<records>` separated by spaces or lines
   * (src/platform/settings/delegated-zones.ts). Empty: delegated set-up is not offered.
   */
  DELEGATED_ZONES: z.string().default(""),
  /** Domain in these zones below which each new workspace gets a test domain (docs/operating/zones.md#test-domains). Empty: none. */
  SANDBOX_DOMAIN: z.string().default(""),
  /** Base URL of the DNS API of these zones (Cloudflare API v4). */
  DNS_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.cloudflare.com/client/v4"),
  /** Its token, with the permission DNS: Edit on these zones alone. Secret. */
  DNS_API_TOKEN: z.string().default(""),
  /** Public base URL of this service, for tracking and unsubscribe links. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default("http://127.0.0.1:8787"),
  /**
   * Id of the zone of Cloudflare for SaaS whose custom hostnames are the hosts of customers (docs/operating/custom-hosts.md).
   * Empty, or without token or target: links of every domain have the host of PUBLIC_URL.
   */
  HOSTNAME_ZONE_ID: z.string().default(""),
  /** Token of Cloudflare's API that may edit the custom hostnames of that zone. Secret. */
  HOSTNAME_API_TOKEN: z.string().default(""),
  /** Host name in that zone to which the CNAME records of customers point. */
  HOSTNAME_TARGET: z.string().max(253).default(""),
  /** Base of Cloudflare's REST API. */
  HOSTNAME_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.cloudflare.com/client/v4"),
  /** Days after which accepted emails are deleted. */
  RETENTION_DAYS: z.coerce.number().int().min(1).default(365),
  /** Size of a mail database from which it gets no new workspaces, in bytes. D1 databases end at 10 GB. */
  SHARD_PLACEMENT_LIMIT: z.coerce.number().int().min(0).default(5_000_000_000),
  /** Size of a mail database from which content goes to R2 only, in bytes. */
  SHARD_CONTENT_LIMIT: z.coerce.number().int().min(0).default(7_000_000_000),
  /** Size of a mail database from which owners and operators are told what to do, in bytes: 80 % of what D1 holds. */
  SHARD_WARNING_LIMIT: z.coerce.number().int().min(0).default(8_000_000_000),
  /**
   * Size of a mail database from which it refuses new emails of the workspaces above their equal share, so that outcomes still fit, in bytes.
   * Above it by 9 % it refuses those of all.
   */
  SHARD_ACCEPT_LIMIT: z.coerce.number().int().min(0).default(9_000_000_000),
  /** Size of the main database from which it refuses imports and templates, and operators are told, in bytes. */
  MAIN_LIMIT: z.coerce.number().int().min(0).default(5_000_000_000),
  /** Emails that a workspace may have accepted in a day (UTC), unless it has a limit of its own. 0: no limit. */
  DAILY_EMAIL_LIMIT: z.coerce.number().int().min(0).default(0),
  /** Hard bounces, in percent of the last hour's recipients, above which a workspace pauses its bulk mail. 0: never. */
  BULK_PAUSE_BOUNCE_PERCENT: z.coerce.number().min(0).max(100).default(BULK_PAUSE_DEFAULTS.bouncePercent),
  /** The same for complaints. */
  BULK_PAUSE_COMPLAINT_PERCENT: z.coerce.number().min(0).max(100).default(BULK_PAUSE_DEFAULTS.complaintPercent),
  /** Recipients of the last hour from which both are compared. */
  BULK_PAUSE_LEAST_EMAILS: z.coerce.number().int().min(1).default(BULK_PAUSE_DEFAULTS.leastEmails),
  /** Domain registrations that a workspace may make an hour (docs/contract/limits.md#rate-limits). */
  DOMAIN_REGISTRATIONS_PER_HOUR: z.coerce.number().int().min(0).default(30),
  /** Domain verifications that a workspace may make an hour (docs/contract/limits.md#rate-limits). */
  DOMAIN_VERIFICATIONS_PER_HOUR: z.coerce.number().int().min(0).default(120),
  /** Turns transfers of domains on. `off`: endpoints return 404, accepted ones wait (docs/contract/transfers.md#calls-of-a-transfer). */
  DOMAIN_TRANSFERS: z.enum(["on", "off"]).default("on"),
  /** Transfers that a user may initiate a minute (docs/contract/limits.md#rate-limits). Refused ones count. */
  TRANSFER_INITIATIONS_PER_MINUTE: z.coerce.number().int().min(0).default(5),
  /** Turns webhooks for events of emails on (docs/contract/webhooks.md#webhook-events). */
  LIVE_WEBHOOKS: z.enum(["on", "off"]).default("off"),
  /** Lets webhooks have URLs with plain HTTP to this machine, for local work. */
  WEBHOOK_ALLOW_INSECURE: z.enum(["on", "off"]).default("off"),
  /** Address of the mailbox that sends sign-in links and other emails of the service. Empty: it sends none. */
  SYSTEM_MAILBOX: z.string().default(""),
  /** Name of the service in its pages, emails and tools: the display name of that mailbox too. */
  SERVICE_NAME: z
    .string()
    .regex(/^[^\p{Cc}]{1,100}$/u, "SERVICE_NAME must have 1 to 100 characters")
    .default(SERVICE_NAME),
  /** Where people report vulnerabilities (RFC 9116 2.5.3): a `mailto:` or `https:` URL. Empty: there is no security.txt. */
  SECURITY_CONTACT: z
    .string()
    .regex(/^((mailto:|https:\/\/)[\x21-\x7e]{1,500})?$/, "SECURITY_CONTACT must be a mailto: or https: URL")
    .default(""),
  /** Who may create an account by signing in: everyone (`open`), or users with an invitation (docs/contract/sign-in.md#ways-to-sign-in). */
  SIGN_UP: z.enum(["open", "invited"]).default("invited"),
  /** Where the local service fills and removes its example shop (dev/example/). Empty: a deployment, which has none. */
  EXAMPLE_URL: z.string().default(""),
  /** Origin that gets the posts to Slack in place of Slack, for tests and local work. Empty: Slack. */
  SLACK_URL: z
    .string()
    .regex(/^(https?:\/\/[^/]+)?$/, "SLACK_URL must be an origin without a path")
    .default(""),
  /** Client of the service at Google. Empty: no sign-in with Google. The secret is a secret. */
  GOOGLE_CLIENT_ID: z.string().default(""),
  GOOGLE_CLIENT_SECRET: z.string().default(""),
  GOOGLE_AUTHORIZE_URL: z.url({ protocol: /^https?$/ }).default("https://accounts.google.com/o/oauth2/v2/auth"),
  GOOGLE_TOKEN_URL: z.url({ protocol: /^https?$/ }).default("https://oauth2.googleapis.com/token"),
  /** Client of the service at GitHub. Empty: no sign-in with GitHub. The secret is a secret. */
  GITHUB_CLIENT_ID: z.string().default(""),
  GITHUB_CLIENT_SECRET: z.string().default(""),
  GITHUB_AUTHORIZE_URL: z.url({ protocol: /^https?$/ }).default("https://github.com/login/oauth/authorize"),
  GITHUB_TOKEN_URL: z.url({ protocol: /^https?$/ }).default("https://github.com/login/oauth/access_token"),
  /** Base of GitHub's REST API. */
  GITHUB_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.github.com"),
  /** `<version>:<base64 of 32 bytes>`, joined by commas. The last one encrypts and hashes new values. Secret. */
  MASTER_KEYS: z
    .string()
    .regex(/^\d+:[A-Za-z0-9+/]{43}=(,\d+:[A-Za-z0-9+/]{43}=)*$/, "MASTER_KEYS must be <version>:<base64 of 32 bytes>"),
});
