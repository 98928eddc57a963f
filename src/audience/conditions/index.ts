export {
  type Activity,
  type Condition,
  comparisons,
  limits as conditionLimits,
  placesOf,
  questions,
  type References,
  referencesOf,
} from "./conditions.ts";
export {
  type Circumstances,
  type ComparisonBudget,
  evaluate,
  newComparisonBudget,
  type Person,
} from "./evaluate.ts";
export { endActivity, keepActivity } from "./keep-activity.ts";
export { findKnownNames, type KnownNames } from "./known-names.ts";
export { loadPeople, loadPeoplePage, personBytesSql } from "./load-people.ts";
export { loadSegments } from "./load-segments.ts";
export { Conditions } from "./schema.ts";
