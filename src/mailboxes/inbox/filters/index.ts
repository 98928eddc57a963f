export { createFilter, deleteFilter, getFilter, shiftFilter, startFilterRun, updateFilter } from "./change.ts";
export { findForwarding } from "./queries.ts";
export { FilterFields, type FilterOut, toFilter } from "./schema.ts";
