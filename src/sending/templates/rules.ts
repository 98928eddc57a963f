/** Limits and names of templates. Pure. */

/** Greatest length of a name, in Unicode code points. */
export const NAME_CHARACTERS = 200;
/** Greatest size of `blocks_json` as JSON, in octets (docs/contract/limits.md#bodies-and-values). */
export const BLOCKS_OCTETS = 1024 * 1024;
/** Greatest size of a whole template as JSON, in octets: its row and its stored response each fit into 2,000,000 of D1. */
export const TEMPLATE_OCTETS = 1_900_000;
/** A page of the list ends before this many octets, after one template at least. */
export const PAGE_OCTETS = 8_000_000;
/** Greatest size of the variables of a preview or a send as JSON, in octets. */
export const VARIABLES_OCTETS = 65_536;
/** Greatest length of rendered html and text together, in octets: that of an email. */
export const RENDERED_OCTETS = 5_000_000;

/** Suffix of the name of a duplicated template (docs/contract/templates.md#stored-templates). */
export const DUPLICATE_SUFFIX = " (the service)";
