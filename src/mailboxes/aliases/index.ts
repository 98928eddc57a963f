export { addAlias } from "./add.ts";
export { deleteAlias } from "./delete.ts";
export { findAliasesStatement } from "./queries.ts";
export { AliasIn, type AliasRow } from "./schema.ts";
