export { contactEventsStatements } from "./contact-events.ts";
export { type RecipientEvent, recordEmailEventsStatements } from "./email-events.ts";
export { recordEventsOf, stopEventsOf } from "./flags.ts";
export { EVENT_COLUMNS, insertEventsStatements, recordPersonEventsStatements, recordsEventsSql } from "./insert.ts";
export { deleteWaitingEventsStatement, eventsRefSql, storeMainEvents } from "./main-events.ts";
export {
  type BuiltInEvent,
  builtInEvents,
  type EmailEvent,
  emailEventId,
  eventLimits,
  eventNameIssue,
  type PersonEvent,
  RESERVED_PREFIXES,
} from "./rules.ts";
export {
  type AutomationsMessage,
  isAutomationsMessage,
  wakeAutomations,
  wakeForEvents,
  wakeForNewEvents,
} from "./wake.ts";
