export { createRule } from "./create.ts";
export { deleteRule } from "./delete.ts";
export { getRule, IS_CONFIRMED_SQL, listRules, permittedForwards } from "./queries.ts";
export { requestConfirmation } from "./request-confirmation.ts";
export { isLoop, type MatchedMessage, matches, type RuleMatch } from "./rules.ts";
export { actionTypes, RuleIn, type RuleOut, RulePatch, toRule } from "./schema.ts";
export { updateRule } from "./update.ts";
