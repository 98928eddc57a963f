export { createFilter, deleteFilter, getFilter, shiftFilter, startFilterRun, updateFilter } from "./change.ts";
export { findConfirmed } from "./queries.ts";
export { FilterFields, type FilterOut, toFilter } from "./schema.ts";
