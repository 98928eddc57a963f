export { Avatar } from "./avatar.tsx";
export { ActionLink, ButtonLine, ButtonLink, LinkLine, PostButton, PostLink, Submit } from "./buttons.tsx";
export { BarChart, Chips, LineChart, Numbers, Share, Tiles } from "./charts.tsx";
export { Code } from "./code.tsx";
export { ConfirmPage } from "./confirm.tsx";
export { counted } from "./counted.ts";
export { Dialog, FormDialog } from "./dialog.tsx";
export { Document } from "./document.tsx";
export { Drawing, Empty } from "./empty.tsx";
export { ErrorList } from "./error-list.tsx";
export {
  Check,
  CheckGroup,
  type Choice,
  ErrorSummary,
  Field,
  FieldError,
  FORM_PAGE,
  Form,
  GivenValues,
  Notice,
  Options,
  RefusalNotice,
  Select,
  TextArea,
  VersionField,
} from "./form.tsx";
export { files } from "./generated/files.ts";

export { Icon, type IconName, Mark } from "./icon.tsx";
export { AppLayout, Layout, TextPage } from "./layout.tsx";
export { PreviewFrame, SizedMailFrame, UpdatePreview } from "./mail-frame.tsx";
export { MenuLink } from "./menu.tsx";
export { type MenuEntry, menuOf, openable } from "./menu-entries.ts";
export { QrCode } from "./qr-code.tsx";
export { FindForm, SearchField } from "./search-field.tsx";
export { Status, toSentence } from "./status.tsx";
export { type Refusal, submittedTo, useChecked, useError, useValue } from "./submitted.ts";
export { Facts, List, Live, NextPage } from "./table.tsx";
export { Time } from "./time.tsx";
export { ShortTimeField, TimeField } from "./time-field.tsx";
export { TimeLeft, waitOf } from "./time-left.tsx";
export { Toast } from "./toast.tsx";
export { logoUrl, useCaller, useScope, useTexts, useViewer, type Viewer, ViewerContext } from "./viewer.tsx";
