import type { DomainRow } from "../../../domains/domains/index.ts";
import type { HealthOut } from "../../../domains/health/index.ts";
import { AppLayout, ButtonLink, PostButton, Status, Time, useScope } from "../../../http/ui/index.ts";

interface DomainHealthPageProps {
  domain: Pick<DomainRow, "id" | "name" | "status">;
  health: HealthOut;
}

/** Shows what is wrong with a domain and what to do about it. */
export const DomainHealthPage = ({ domain, health }: DomainHealthPageProps) => (
  <AppLayout
    title={`Health of ${domain.name}`}
    actions={
      <>
        {useScope("domains:manage") ? <PostButton to={`/app/domains/${domain.id}/health`} label="Check now" /> : null}
        <ButtonLink to={`/app/domains/${domain.id}`} label="The domain" kind="quiet" />
      </>
    }
  >
    <p>
      <Status word={health.status} label={HEALTH_LABELS[health.status]} />
      {" · "}
      <span class="soft">
        <LastCheck at={health.checked_at} />
      </span>
    </p>
    {health.findings.map((finding) => (
      <FindingCard finding={finding} />
    ))}
    <p class="soft">
      The records, the reports of receivers, their replies and the rates of the workspace are looked at every day. A
      finding goes by itself when its cause is mended.
    </p>
  </AppLayout>
);

export const HEALTH_LABELS: Readonly<Record<HealthOut["status"], string>> = {
  unknown: "Health not known yet",
  ok: "Nothing is wrong",
  warning: "Something to improve",
  error: "Something is wrong",
};

export const LastCheck = ({ at }: { at: string | null }) =>
  at === null ? (
    <>Not checked yet</>
  ) : (
    <>
      Last check <Time at={at} />
    </>
  );

type Finding = Pick<HealthOut["findings"][number], "severity" | "problem" | "action" | "evidence"> & { since?: string };

/** Something that is wrong, since when, what to do about it, and what was seen. */
export const FindingCard = ({ finding }: { finding: Finding }) => (
  <section class="card" aria-label={finding.problem}>
    <p>
      <Status word={finding.severity} />
      {finding.since === undefined ? null : (
        <span class="soft">
          {" "}
          since <Time at={finding.since} />
        </span>
      )}
    </p>
    <h2>{finding.problem}</h2>
    <p>{finding.action}</p>
    {finding.evidence.length === 0 ? null : (
      <details>
        <summary>What was found</summary>
        <ul class="found">
          {finding.evidence.map((text) => (
            <li>
              <code>{text}</code>
            </li>
          ))}
        </ul>
      </details>
    )}
  </section>
);
