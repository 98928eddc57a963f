export { createForm } from "./create.ts";
export { deleteForm } from "./delete.ts";
export { formUrl } from "./form-url.ts";
export { getForm, listAllForms, listForms } from "./queries.ts";
export type { FormField } from "./rules.ts";
export { FormIn, type FormOut, FormPatch, toForm } from "./schema.ts";
export { updateForm } from "./update.ts";
