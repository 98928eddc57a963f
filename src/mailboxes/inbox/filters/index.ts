export { createFilter, deleteFilter, getFilter, shiftFilter, startFilterRun, updateFilter } from "./change.ts";
export { endForwards } from "./end-forwards.ts";
export { type ForwardingFilter, listForwardingFilters } from "./list-forwarding.ts";
export { findForwarding } from "./queries.ts";
export { FilterFields, type FilterOut, toFilter } from "./schema.ts";
