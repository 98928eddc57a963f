/** Measures the emails of an automation that 5,000 people enter by events: rows written and cost. The counts are the same on every machine. */
import { insertList, waitFor } from "./broadcasts.ts";
import { perEmail } from "./cost.ts";
import { cpuMs } from "./cpu.ts";
import type { Bench } from "./deployment.ts";
import { costPerThousand } from "./prices.ts";
import type { Row } from "./table.ts";

const PEOPLE = 5_000;
/** Events of one call. */
const BATCH = 500;
/** Of 1,000 emails, in dollars: that of everything that is sent. */
const COST_BUDGET = 0.02;

export async function measureAutomations({ deployment }: Bench): Promise<Row[]> {
  await insertList(deployment, PEOPLE);
  const { mailboxId } = deployment.seed;
  const email = { kind: "send_email", mailbox_id: mailboxId, subject: "Hello {{name}}", text: "Hello {{name}}" };
  const automation = { name: "Bench", trigger: { event: "order.paid" }, steps: [email] };
  const { id } = (await (await deployment.call("POST", "/v1/automations/", automation)).json()) as { id: string };
  await deployment.call("POST", `/v1/automations/${id}/activate`);
  await deployment.readings();
  const [sizeBefore, cpuBefore] = [await deployment.databaseSize(), await cpuMs(deployment.workerdPid)];
  for (let first = 1; first <= PEOPLE; first += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index) => ({
      name: "order.paid",
      email: `c${first + index}@example.org`,
    }));
    await deployment.call("POST", "/v1/events/batch", events);
  }
  const ended = "SELECT count(*) AS n FROM automation_runs WHERE status = 'completed'";
  await waitFor(deployment, ended, (n) => n >= PEOPLE);
  await waitFor(deployment, "SELECT sum(queued - attempted) AS n FROM broadcast_counts", (n) => n === 0);
  await deployment.waitUntilDrained();
  await deployment.host.scheduled("* * * * *");
  const each = perEmail(await deployment.readings(), PEOPLE);
  const bytes = ((await deployment.databaseSize()) - sizeBefore) / PEOPLE;
  const cpu = ((await cpuMs(deployment.workerdPid)) - cpuBefore) / PEOPLE;
  const dollars = costPerThousand(each, cpu, { d1Kilobytes: bytes / 1000, r2Kilobytes: 0 });
  return [
    {
      what: "platform cost of 1,000 emails of an automation, their events, runs and a month of storage included",
      value: `$${dollars.toFixed(5)}; ${each.rowsWritten.toFixed(2)} rows written, ${bytes.toFixed(0)} bytes in D1 and ${cpu.toFixed(1)} ms of CPU each`,
      budget: `$${COST_BUDGET.toFixed(3)}`,
      isMet: dollars <= COST_BUDGET,
    },
  ];
}
