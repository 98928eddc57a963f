export { createAppPassword } from "./create.ts";
export { deleteAppPassword } from "./delete.ts";
export { requireRight } from "./open.ts";
export { type AppPasswordRow, findOfMailboxStatement } from "./queries.ts";
export { MAX_NAME_CHARACTERS } from "./rules.ts";
export { AppPasswordForm, type NewAppPasswordOut } from "./schema.ts";
