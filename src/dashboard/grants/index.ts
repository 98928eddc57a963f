export { GrantTable } from "./page.tsx";
