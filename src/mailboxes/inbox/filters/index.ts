export { createFilter, deleteFilter, getFilter, shiftFilter, startFilterRun, updateFilter } from "./change.ts";
export { listMakerlessFilters, type MakerlessFilters } from "./list-makerless.ts";
export { findForwarding } from "./queries.ts";
export { FilterFields, type FilterOut, toFilter } from "./schema.ts";
