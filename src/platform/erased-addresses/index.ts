export { AddressForms, erasedForm, erasedVersionSql, FIRST_ADDRESS, formsOf, isErasedSql } from "./forms.ts";
