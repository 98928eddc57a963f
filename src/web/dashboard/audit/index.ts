export { showAudit } from "./list.tsx";
