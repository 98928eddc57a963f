export { AuditList } from "./list.tsx";
