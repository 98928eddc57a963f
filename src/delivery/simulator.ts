import type { Outcome } from "../emails/index.ts";
import { type Attempt, deferOrFail } from "./outcome.ts";

/** What an address at the simulator's domain comes to, by its local part without +label (decisions 4). */
const scripts: Readonly<Record<string, (say: ReplyText, attempt: Attempt) => Outcome[]>> = {
  delivered: (say) => [{ on: "accepted-final", metadata: say("250 2.0.0 simulated delivery", "2.0.0") }],
  bounced: (say) => [{ on: "recipient-refused", metadata: say("550 5.1.1 simulated: no such mailbox", "5.1.1") }],
  deferred: (say, attempt) => [deferOrFail(attempt, say("451 4.3.0 simulated: try again later", "4.3.0"))],
  complained: (say) => [
    { on: "accepted-final", metadata: say("250 2.0.0 simulated delivery", "2.0.0") },
    { on: "complaint", metadata: { simulated: true, feedback_type: "abuse" } },
  ],
  suppressed: () => [{ on: "suppressed", metadata: { simulated: true } }],
};

type ReplyText = (response: string, dsn: string) => Record<string, unknown>;

/** Whether mail to this address stays in the house: `domain` is the deployment's SIMULATOR_DOMAIN. */
export function isSimulated(address: string, domain: string): boolean {
  return domain !== "" && address.toLowerCase().endsWith(`@${domain}`);
}

/** The outcomes of a simulated recipient, in order. An unknown local part bounces, as at any domain. Pure. */
export function simulate(address: string, attempt: Attempt): Outcome[] {
  const local = address.slice(0, address.lastIndexOf("@")).toLowerCase().replace(/\+.*$/, "");
  const say: ReplyText = (response, dsn) => ({
    relay: "simulator",
    attempt: attempt.number,
    simulated: true,
    response,
    dsn,
  });
  const script = Object.hasOwn(scripts, local) ? scripts[local] : scripts.bounced;
  return script?.(say, attempt) ?? [];
}
