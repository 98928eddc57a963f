export { IS_CONFIRMED_SQL } from "./queries.ts";
export { isLoop, type MatchedMessage, matches, type RuleMatch } from "./rules.ts";
