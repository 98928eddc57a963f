export { BarChart, Chips, LineChart, Numbers, Share } from "./charts.tsx";
export { ConfirmPage } from "./confirm.tsx";
export { Document } from "./document.tsx";
export { ErrorList } from "./error-list.tsx";
export {
  ButtonLink,
  Check,
  CheckGroup,
  ErrorSummary,
  Field,
  type FieldErrors,
  Notice,
  PostButton,
  Select,
  TextArea,
  VersionField,
} from "./form.tsx";
export { files } from "./generated/files.ts";
export { Layout } from "./layout.tsx";
export { MailFrame, PreviewFrame } from "./mail-frame.tsx";
export { QrCode } from "./qr-code.tsx";
export { Empty, Facts, List, Live, Pager, Status, Table, Time } from "./table.tsx";
export { ShortTimeField, TimeField } from "./time-field.tsx";
export { TimeLeft, waitOf } from "./time-left.tsx";
export { useViewer, type Viewer, ViewerContext } from "./viewer.tsx";
