/** The parts of the bench, in the order in which they run. */
import { measureAccept } from "./accept.ts";
import { measureAnalytics } from "./analytics.ts";
import { measureAutomations } from "./automations.ts";
import { measureBatch } from "./batch.ts";
import { measureBodies } from "./bodies.ts";
import { measureBombs } from "./bombs.ts";
import { measureBroadcastLanguages } from "./broadcast-languages.ts";
import { measureBroadcasts } from "./broadcasts.ts";
import { measureComposing } from "./compose.ts";
import { measureCosts } from "./cost.ts";
import { measureDelivery } from "./delivery.ts";
import type { Bench } from "./deployment.ts";
import { measureDistance } from "./distance/measure.ts";
import { measureDrain } from "./drain.ts";
import { measureEgress } from "./egress.ts";
import { measureHits } from "./hits.ts";
import { measureHops } from "./hops.ts";
import { measureImap } from "./imap.ts";
import { measureImports } from "./imports.ts";
import { measureArchiveMemory, measureInboxMemory } from "./inbox-memory.ts";
import { measureLargeMail } from "./large.ts";
import { measureLatency } from "./latency.ts";
import { measureLists } from "./lists.ts";
import { measureMailbox } from "./mailbox.ts";
import { measurePages } from "./pages.ts";
import { measureRates } from "./rates.ts";
import { measureSegments } from "./segments.ts";
import { measureShards } from "./shards.ts";
import { measureSubmission } from "./submission.ts";
import type { Row } from "./table.ts";
import { measureWaits } from "./waits.ts";
import { measureWorstEmails } from "./worst-email.ts";

/** Each part by the name that selects it: `npm run bench -- latency rates`. */
export const parts: Readonly<Record<string, (bench: Bench) => Promise<Row[]>>> = {
  hops: measureHops,
  cost: measureCosts,
  latency: measureLatency,
  rates: measureRates,
  distance: measureDistance,
  accept: measureAccept,
  batch: measureBatch,
  automations: measureAutomations,
  segments: measureSegments,
  broadcasts: measureBroadcasts,
  "broadcast-languages": measureBroadcastLanguages,
  delivery: measureDelivery,
  drain: measureDrain,
  shards: measureShards,
  hits: measureHits,
  compose: measureComposing,
  worst: measureWorstEmails,
  large: measureLargeMail,
  submission: measureSubmission,
  imap: measureImap,
  egress: measureEgress,
  bodies: measureBodies,
  lists: measureLists,
  mailbox: measureMailbox,
  bombs: measureBombs,
  "inbox-memory": measureInboxMemory,
  "archive-memory": measureArchiveMemory,
  imports: measureImports,
  waits: measureWaits,
  analytics: measureAnalytics,
  pages: measurePages,
};
