export { ConfirmPage } from "./confirm.tsx";
export { Field, Notice } from "./form.tsx";
export { Layout, type PageUser } from "./layout.tsx";
export { STYLE, STYLE_FILE } from "./style.ts";
export { Table, Time } from "./table.tsx";
