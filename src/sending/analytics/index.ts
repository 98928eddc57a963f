export { countFiltered, type Filter } from "./filtered.ts";
export {
  type Counts,
  findDomains,
  findGroups,
  findTotals,
  type GroupDay,
  type Most,
  NO_COUNTS,
  rank,
  sumBy,
  sumCounts,
} from "./queries.ts";
export {
  bucketStart,
  bucketsOf,
  type Granularity,
  granularities,
  type Hours,
  hoursOf,
  hoursOfDays,
  hoursPerBucket,
  MAX_DAYS,
  type Period,
  periods,
  rate,
} from "./rules.ts";
export { type DeliverabilityOut, toDeliverability, toPoint } from "./schema.ts";
