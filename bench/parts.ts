/** The parts of the bench, in the order in which they run. */
import { measureAccept } from "./accept.ts";
import { measureAutomations } from "./automations.ts";
import { measureBatch } from "./batch.ts";
import { measureBroadcasts } from "./broadcasts.ts";
import { measureCheckout } from "./checkout.ts";
import { measureCosts } from "./cost.ts";
import { measureDelivery } from "./delivery.ts";
import type { Bench } from "./deployment.ts";
import { measureDistance } from "./distance/measure.ts";
import { measureHops } from "./hops.ts";
import { measureLatency } from "./latency.ts";
import { measureMailbox } from "./mailbox.ts";
import { measurePeers } from "./peers.ts";
import { measureRates } from "./rates.ts";
import type { Row } from "./table.ts";
import { measureWaits } from "./waits.ts";

/** Each part by the name that selects it: `npm run bench -- latency rates`. */
export const parts: Readonly<Record<string, (bench: Bench) => Promise<Row[]>>> = {
  hops: measureHops,
  cost: measureCosts,
  latency: measureLatency,
  rates: measureRates,
  distance: measureDistance,
  accept: measureAccept,
  batch: measureBatch,
  broadcasts: measureBroadcasts,
  automations: measureAutomations,
  delivery: measureDelivery,
  mailbox: measureMailbox,
  waits: measureWaits,
  peers: measurePeers,
  checkout: measureCheckout,
};

/** Parts that run only when they are named: `peers` installs packages, and `checkout` needs a folder. */
const NAMED = ["peers", "checkout"];
/** The parts that run when none is named. */
export const defaultParts = Object.keys(parts).filter((name) => !NAMED.includes(name));
