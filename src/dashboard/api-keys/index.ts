export { ApiKeyTable } from "./table.tsx";
