/** Limits and names of templates. Pure. */

/** Greatest length of a name, in Unicode code points. */
export const NAME_CHARACTERS = 200;
/** Greatest size of `blocks_json` as JSON, in bytes (docs/contract/limits.md#bodies-and-values). */
export const BLOCKS_BYTES = 1024 * 1024;
/** Greatest size of a template as JSON, in bytes: a request holds several at once (PAGE_BYTES, PARTS_BYTES). */
export const TEMPLATE_BYTES = 1_900_000;
/** A page of the list ends before this many bytes, after one template at least. */
export const PAGE_BYTES = 8_000_000;
/** Greatest size of the variables of a preview or a send as JSON, in bytes. */
export const VARIABLES_BYTES = 65_536;
/** Greatest length of rendered html and text together, in bytes: that of an email. */
export const RENDERED_BYTES = 5_000_000;

/** Templates that a Liquid template renders, those that they render included. */
export const MAX_PARTS = 20;
/** Size of the templates that one request reads as parts of others, in bytes as JSON. */
export const PARTS_BYTES = 8_000_000;

/** Suffix of the name of a duplicated template (docs/contract/templates.md#stored-templates). */
export const DUPLICATE_SUFFIX = " (the service)";
