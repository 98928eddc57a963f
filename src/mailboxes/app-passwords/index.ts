export { createAppPassword } from "./create.ts";
export { deleteAppPassword } from "./delete.ts";
export { type AppPasswordRow, listAppPasswords } from "./queries.ts";
export { MAX_APP_PASSWORDS, MAX_NAME_CHARACTERS } from "./rules.ts";
export { AppPasswordForm, type NewAppPasswordOut } from "./schema.ts";
