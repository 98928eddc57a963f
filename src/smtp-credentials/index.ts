export { deactivateOfDomainStatement } from "./deactivate.ts";
