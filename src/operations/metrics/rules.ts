import type { OutboxState } from "./outboxes.ts";

/** The response of GET /ready. `details` is for operators only. */
export interface Readiness {
  status: "ready" | "degraded" | "not_ready";
  settings: "valid" | "invalid";
  main: "answers" | "fails";
  mail: "answers" | "degraded" | "fails";
  egress: string;
  /** State of the service's own emails (src/sending/system-emails/): sign-in links, invitations, notices. */
  system_mail: "configured" | "not_configured" | "malformed" | "no_mailbox" | "unknown";
  /** Why the status is not `ready`: names of settings and databases, never a value, a host or a message of another system. */
  reasons: readonly string[];
  details: {
    setting_issues: readonly string[];
    /** Egresses beside that of EGRESS_URL that cannot be used. */
    egress_issues: readonly string[];
    /** Zones of delegated domains that cannot be used. */
    zone_issues: readonly string[];
    /** Why bulk mail has no CFBL-Address, although there is a key. */
    cfbl_issues: readonly string[];
    failing_databases: readonly (number | "main")[];
    /** Seconds for which the oldest row is due, without rows of broadcasts, which may be paused. Null: none is due. */
    oldest_due_seconds: number | null;
    /** Outbox rows that wait for the egress. */
    waiting_for_egress: number;
  };
}

/** A row that is due for longer makes the service degraded: the sweep takes due rows each minute. */
const OLDEST_DUE_SECONDS = 600;

interface Findings {
  settingIssues: readonly string[];
  /** `configured`, or why the deployment has no egress. */
  egress: string;
  /** Egresses beside that that cannot be used. */
  egressIssues: readonly string[];
  zoneIssues: readonly string[];
  cfblIssues: readonly string[];
  systemMail: Readiness["system_mail"];
  /** A probe or an email has reached the egress of late, so that what still waits for it is about to leave. */
  hasEgressResponded: boolean;
  outboxes: readonly (Pick<OutboxState, "database" | "error" | "reason" | "waitingForEgress" | "quarantined"> & {
    kinds: readonly { kind: string; oldestAt: number }[];
  })[];
}

/**
 * Decides whether the service is ready. It is not when its settings are invalid, without an egress, when the main database fails,
 * or when no mail database responds. A failing mail database, emails that wait for an egress that does not respond, a further egress,
 * a zone of delegated domains or a key for complaints whose setting is malformed, a row that was set aside, or one that is due for too long makes it degraded, and so does a service that cannot send its own emails: all other mail leaves, and a first
 * deployment has no mailbox yet, so a load balancer must not take it out. `now` is in milliseconds since 1970. Pure.
 */
export function decideReadiness(
  { settingIssues, egress, egressIssues, zoneIssues, cfblIssues, hasEgressResponded, systemMail, outboxes }: Findings,
  now: number,
): Readiness {
  const failing = outboxes.filter(({ error }) => error !== null).map(({ database }) => database);
  const mail = outboxes.filter(({ database }) => database !== "main");
  const failingMail = failing.filter((database) => database !== "main").length;
  const due = outboxes.flatMap(({ kinds }) => kinds).filter(({ kind }) => kind !== "bulk");
  const oldestAt = due.length > 0 ? Math.min(...due.map((row) => row.oldestAt)) : null;
  const oldest = oldestAt === null ? null : Math.max(0, Math.floor((now - oldestAt) / 1000));
  const waiting = outboxes.reduce((sum, { waitingForEgress }) => sum + waitingForEgress, 0);
  const isUnreachable = egress === "configured" && waiting > 0 && !hasEgressResponded;
  const state = {
    settings: settingIssues.length > 0 ? ("invalid" as const) : ("valid" as const),
    main: failing.includes("main") ? ("fails" as const) : ("answers" as const),
    mail:
      failingMail === 0 ? ("answers" as const) : failingMail < mail.length ? ("degraded" as const) : ("fails" as const),
    egress: isUnreachable ? "unreachable" : egress,
    system_mail: systemMail,
  };
  const isReady =
    state.settings === "valid" && state.main === "answers" && state.mail !== "fails" && egress === "configured";
  const lacksSystemMail = systemMail !== "configured" && systemMail !== "unknown";
  const reasons = [
    // The names of placeholders stay unsaid: that of MASTER_KEYS would say that the key can be guessed.
    ...new Set(
      settingIssues.map((issue) => issue.replace(/^.*: a placeholder;.*/, "settings: placeholders of local work")),
    ),
    ...outboxes.flatMap(({ database, reason }) => (reason ? `database ${database}: ${reason}` : [])),
    ...(["configured", "misconfigured", "unknown"].includes(state.egress) ? [] : [`EGRESS_URL: ${state.egress}`]),
    ...(egressIssues.length > 0 ? ["a further egress: malformed"] : []),
    ...(zoneIssues.length > 0 ? ["DELEGATED_ZONES: malformed"] : []),
    ...(cfblIssues.length > 0 ? ["CFBL_DKIM_KEY: malformed"] : []),
    ...outboxes.flatMap(({ database, quarantined }) =>
      quarantined > 0 ? `database ${database}: outbox rows in quarantine` : [],
    ),
    ...((oldest ?? 0) > OLDEST_DUE_SECONDS ? [`an outbox row is due for more than ${OLDEST_DUE_SECONDS} seconds`] : []),
    ...(lacksSystemMail ? [`SYSTEM_MAILBOX: ${systemMail}`] : []),
  ];
  return {
    status: !isReady ? "not_ready" : reasons.length > 0 ? "degraded" : "ready",
    ...state,
    reasons,
    details: {
      setting_issues: settingIssues,
      egress_issues: egressIssues,
      zone_issues: zoneIssues,
      cfbl_issues: cfblIssues,
      failing_databases: failing,
      oldest_due_seconds: oldest,
      waiting_for_egress: waiting,
    },
  };
}

/** One metric of the Prometheus text format. */
export interface Metric {
  name: string;
  help: string;
  samples: readonly { labels?: Readonly<Record<string, string | number>>; value: number }[];
}

/** Writes metrics in the Prometheus text format, version 0.0.4. Pure. */
export function toPrometheus(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, samples }) => {
      const lines = samples.map(({ labels = {}, value }) => {
        const text = Object.entries(labels).map(([label, of]) => `${label}="${escapeLabel(String(of))}"`);
        return `${name}${text.length > 0 ? `{${text.join(",")}}` : ""} ${value}\n`;
      });
      return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
    })
    .join("");
}

const escapeLabel = (text: string) => text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
