export { createAppPassword } from "./create.ts";
export { deleteAppPassword } from "./delete.ts";
export { requireRight } from "./open.ts";
export { type AppPasswordRow, findOfMailboxStatement } from "./queries.ts";
export { AppPasswordForm, MAX_NAME_CHARACTERS, type NewAppPasswordOut } from "./schema.ts";
