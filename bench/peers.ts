/** Compares single sends with those of a small service on Node (bench/peers/), in rounds of each in turn. */
import type { Bench } from "./deployment.ts";
import { inTurn } from "./in-turn.ts";
import { sendFor, type Target } from "./load.ts";
import { startReferenceService } from "./reference-service.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const CONNECTIONS = [1, 16, 64];
const ROUNDS = 6;
const ROUND_MS = 1_500;
const BYTES = 1_000;

export async function measurePeers({ deployment, sink }: Bench): Promise<Row[]> {
  const body = JSON.stringify(deployment.mail(textOfSize(BYTES)));
  const ours = deployment.target(sink, BYTES);
  const reference = await startReferenceService(deployment.seed.mailbox.replace(/.*@/, ""), body);
  try {
    for (const target of [ours, reference]) {
      await sendFor(target, 16, ROUND_MS);
      await sendFor(target, 64, ROUND_MS);
    }
    const rows: Row[] = [];
    for (const connections of CONNECTIONS) rows.push(await compare(ours, reference, connections, reference.storage));
    return rows;
  } finally {
    await reference.stop();
  }
}

/** Measures both at this number of connections. */
async function compare(ours: Target, reference: Target, connections: number, storage: string): Promise<Row> {
  const measure = (target: Target) => () => sendFor(target, connections, ROUND_MS);
  const rounds = await inTurn(ROUNDS, measure(ours), measure(reference));
  const describe = (rate: "accepted" | "arrived") => {
    const [own, other] = [median(rounds.map(({ own }) => own[rate])), median(rounds.map(({ other }) => other[rate]))];
    const ratio = median(rounds.map(({ own, other }) => own[rate] / other[rate]));
    return `${rate} ${own.toFixed(0)} and ${other.toFixed(0)} a second, ratio ${ratio.toFixed(2)}`;
  };
  return {
    what: `single emails of 1 KB at ${connections} connections, ours and a service on Node with ${storage}`,
    value: `${describe("accepted")}; ${describe("arrived")}`,
    budget: "",
    isMet: true,
  };
}
