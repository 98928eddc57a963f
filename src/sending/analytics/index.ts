export { type Counts, findDomains, findTotals, NO_COUNTS, sumCounts } from "./queries.ts";
export {
  bucketStart,
  bucketsOf,
  type Granularity,
  granularities,
  hoursOf,
  hoursPerBucket,
  type Period,
  periods,
  rate,
} from "./rules.ts";
export { type DeliverabilityOut, type OverviewOut, toDeliverability, toOverview, toPoint } from "./schema.ts";
