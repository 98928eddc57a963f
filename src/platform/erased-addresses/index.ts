export { AddressForms, erasedForm, FIRST_ADDRESS, formsOf } from "./forms.ts";
export { ERASED_ADDRESSES_PURPOSE, loadErasedKey, reloadErasedKey } from "./key.ts";
