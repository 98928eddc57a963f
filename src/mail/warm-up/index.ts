export { daysFor, labelOf, leftToday, schedules, type WarmUp, warmUpDay, warmUpOf } from "./warm-up.ts";
