export { addContact } from "./add-contact.ts";
export { createList } from "./create-list.ts";
export { exportContacts } from "./csv/export.ts";
export { guessColumns } from "./csv/guess-columns.ts";
export { importContacts } from "./csv/import.ts";
export { deleteContact } from "./delete-contact.ts";
export { deleteList } from "./delete-list.ts";
export { type FoundContact, findContacts } from "./find-contacts.ts";
export { type ContactValues, findSampleContact } from "./find-sample-contact.ts";
export { getContact, getList, listContacts, listLists } from "./queries.ts";
export { limits as contactLimits } from "./rules.ts";
export {
  ColumnUsesIn,
  ContactIn,
  ContactOut,
  ContactPatch,
  ListIn,
  type ListOut,
  ListPatch,
  toContact,
  toList,
} from "./schema.ts";
export { updateContact } from "./update-contact.ts";
export { updateList } from "./update-list.ts";
export { findZoneFields } from "./zone-fields.ts";
