export { BarChart, Chips, LineChart, Numbers, type Series, Share } from "./charts.tsx";
export { ConfirmPage } from "./confirm.tsx";
export { Document } from "./document.tsx";
export {
  Check,
  CheckGroup,
  FaultSummary,
  type Faults,
  Field,
  Notice,
  PostButton,
  Select,
  TextArea,
} from "./form.tsx";
export { Layout } from "./layout.tsx";
export type { PageUser } from "./menu.tsx";
export { respondStylesheet } from "./routes.ts";
export { STYLE, STYLE_FILE } from "./style.ts";
export { Empty, List, Pager, Status, Table, Time } from "./table.tsx";
