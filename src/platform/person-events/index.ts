export { contactEventsStatements } from "./contact-events.ts";
export { type RecipientEvent, recordEmailEventsStatements } from "./email-events.ts";
export { recordEventsOf, stopEventsOf } from "./flags.ts";
export { insertEventsStatements, recordPersonEventsStatements, recordsEventsSql } from "./insert.ts";
export { deleteWaitingEventsStatement, eventsRefSql, storeMainEvents } from "./main-events.ts";
export {
  type EmailEvent,
  eventLimits,
  eventNameIssue,
  type PersonEvent,
} from "./rules.ts";
export {
  isAutomationsMessage,
  wakeAutomations,
  wakeForEvents,
  wakeForNewEvents,
} from "./wake.ts";
