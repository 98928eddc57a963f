import { Layout, LinkLine, Status } from "../../http/ui/index.ts";
import type { Readiness } from "../../operations/metrics/index.ts";

/** The parts of the service that customers notice, in the order in which they use them. */
const PARTS: readonly { name: string; isWorking(state: Readiness): boolean; otherwise: string }[] = [
  {
    name: "Dashboard and API",
    isWorking: ({ settings, main }) => settings === "valid" && main === "answers",
    otherwise: "Pages and calls may fail. Accepted emails are stored and not lost.",
  },
  {
    name: "Accepting emails",
    isWorking: ({ settings, main, mail }) => settings === "valid" && main === "answers" && mail === "answers",
    otherwise: "Some workspaces cannot send at present. A refused call says so; repeat it later.",
  },
  {
    name: "Delivering emails",
    isWorking: ({ egress }) => egress === "configured",
    otherwise: "Accepted emails are stored. They leave when the mail servers can be reached again.",
  },
  {
    name: "Sign-in links and notices",
    isWorking: ({ system_mail }) => system_mail === "configured",
    otherwise: "They are not sent at present. Sessions and API keys still work.",
  },
];

/** The state of the service in words, for customers (docs/monitoring.md has that for operators). The title is that of the parts below it. */
export function StatusPage({ state }: { state: Readiness }) {
  const failing = PARTS.filter(({ isWorking }) => !isWorking(state));
  const title =
    failing.length === 0
      ? "Everything works"
      : failing.length === PARTS.length
        ? "The service does not work"
        : "Part of the service does not work";
  return (
    <Layout title={title}>
      <ul class="plain">
        {PARTS.map((part) => (
          <li>
            <p class="spread">
              <strong>{part.name}</strong>
              {failing.includes(part) ? (
                <Status word="failed" label="Does not work" />
              ) : (
                <Status word="ok" label="Works" />
              )}
            </p>
            {failing.includes(part) ? <p class="hint">{part.otherwise}</p> : null}
          </li>
        ))}
      </ul>
      <p class="hint">This page is at most five seconds old. Reload it to look again.</p>
      <LinkLine to="/" label="Front page" />
    </Layout>
  );
}
