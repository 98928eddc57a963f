import { Layout, Status } from "../../http/ui/index.ts";
import type { Readiness } from "../../operations/metrics/index.ts";

const titles: Readonly<Record<Readiness["status"], string>> = {
  ready: "Everything works",
  degraded: "Part of the service does not work",
  not_ready: "The service is not working",
};

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

/** The state of the service in words, for customers (docs/monitoring.md has that for operators). */
export const StatusPage = ({ state }: { state: Readiness }) => (
  <Layout title={titles[state.status]}>
    <ul class="plain">
      {PARTS.map(({ name, isWorking, otherwise }) => (
        <li>
          <p class="spread">
            <strong>{name}</strong>
            {isWorking(state) ? <Status word="ok" label="Works" /> : <Status word="failed" label="Does not work" />}
          </p>
          {isWorking(state) ? null : <p class="hint">{otherwise}</p>}
        </li>
      ))}
    </ul>
    <p class="hint">This page is at most five seconds old. Reload it to look again.</p>
    <p>
      <a href="/">Front page</a>
    </p>
  </Layout>
);
