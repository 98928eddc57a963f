export { erasePerson, getErasure } from "./erase.ts";
export { exportPerson } from "./export.ts";
