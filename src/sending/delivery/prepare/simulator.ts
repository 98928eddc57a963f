import type { Outcome } from "../../emails/index.ts";
import { type Attempt, deferOrFail } from "../record/index.ts";

/** Outcomes of the simulator's addresses, by local part without +label (docs/contract/simulator.md#simulated-recipients). */
const simulations: Readonly<Record<string, (replyText: ReplyText, attempt: Attempt) => Outcome[]>> = {
  delivered: (replyText) => [{ on: "accepted-final", metadata: replyText("250 2.0.0 simulated delivery", "2.0.0") }],
  bounced: (replyText) => [
    {
      on: "recipient-refused",
      metadata: { ...replyText("550 5.1.1 simulated: no such mailbox", "5.1.1"), bounce_type: "hard" },
    },
  ],
  deferred: (replyText, attempt) => [deferOrFail(attempt, replyText("451 4.3.0 simulated: try again later", "4.3.0"))],
  complained: (replyText) => [
    { on: "accepted-final", metadata: replyText("250 2.0.0 simulated delivery", "2.0.0") },
    { on: "complaint", metadata: { simulated: true, feedback_type: "abuse" } },
  ],
  suppressed: () => [{ on: "suppressed", metadata: { simulated: true } }],
};

type ReplyText = (response: string, dsn: string) => Record<string, unknown>;

/** Returns whether an address is in the simulator's domain, SIMULATOR_DOMAIN. */
export function isSimulated(address: string, domain: string): boolean {
  return domain !== "" && address.toLowerCase().endsWith(`@${domain}`);
}

/** Returns the outcomes of a simulated recipient, in order. An unknown local part bounces. Pure. */
export function simulate(address: string, attempt: Attempt): Outcome[] {
  const local = address.slice(0, address.lastIndexOf("@")).toLowerCase().replace(/\+.*$/, "");
  const replyText: ReplyText = (response, dsn) => ({
    relay: "simulator",
    attempt: attempt.number,
    simulated: true,
    response,
    dsn,
  });
  const simulation = Object.hasOwn(simulations, local) ? simulations[local] : simulations.bounced;
  return simulation?.(replyText, attempt) ?? [];
}
