import { ButtonLink, counted, ErrorList, Field, Form, List, Notice, Time } from "../../http/ui/index.ts";
import { inMiB, MEBIBYTE } from "../../lib/bytes.ts";
import type { ImportCounts, StoredImport } from "../../mailboxes/mailbox-store/index.ts";
import type { OpenPage } from "./layout.tsx";
import { exportPath, settingsPath } from "./paths.ts";
import { SettingsLayout } from "./settings-layout.tsx";
import { toSize } from "./size.ts";

/** Largest archive that the form takes, in bytes: it is held in memory. The API takes larger ones. */
export const MAX_FORM_BYTES = 24 * MEBIBYTE;

interface ImportPageProps {
  page: OpenPage;
  imports: readonly StoredImport[];
  /** Counts that a small archive added before the response. */
  imported?: ImportCounts | undefined;
}

/** The page that imports an archive, shows how far the imports in the background are, and exports. It refreshes while one runs. */
export const ImportPage = ({ page, imports, imported }: ImportPageProps) => (
  <SettingsLayout page={page} at="import">
    {imported === undefined ? null : <Imported counts={imported} />}
    <Form
      action={settingsPath(page.mailbox.id, "import")}
      enctype="multipart/form-data"
      data-import="The archive is read. This page shows the result."
    >
      <Field
        name="file"
        label="Archive"
        type="file"
        accept=".mbox,.zip,application/mbox,application/zip"
        hint={`A ZIP archive of .eml and .mbox files, or an mbox file, of at most ${inMiB(MAX_FORM_BYTES)}. Messages that are here already are skipped.`}
        maxBytes={MAX_FORM_BYTES}
      />
      <button type="submit">Import</button>
      <div data-status="" role="status" />
    </Form>
    <h3>Imports in the background</h3>
    <div id="imports" data-live="" data-poll={imports.some(({ status }) => status === "running") ? "" : undefined}>
      <List
        caption="Imports in the background"
        columns={["Began at", "Progress", "Messages", "Duplicates", "Skipped"]}
        empty={<p class="hint">There are none. A large archive is imported while you do something else.</p>}
        rows={imports.map((one) => [
          <Time at={new Date(one.createdAt).toISOString()} />,
          <Progress of={one} />,
          one.counts.imported.toLocaleString("en"),
          one.counts.duplicates.toLocaleString("en"),
          <Skipped counts={one.counts} />,
        ])}
      />
    </div>
    <Export page={page} />
  </SettingsLayout>
);

/** The archives of the whole mailbox. The browser shows how much of one has arrived. */
function Export({ page: { mailbox, folders, usedBytes } }: { page: OpenPage }) {
  const count = folders.reduce((sum, { total }) => sum + total, 0);
  return (
    <>
      <h2>Export</h2>
      <p class="hint">
        {counted(count, "message")}, {toSize(usedBytes)}. An import of the archive brings back their folders, stars and
        labels.
      </p>
      <div class="actions">
        <ButtonLink to={exportPath(mailbox.id, "zip")} label="Download a ZIP archive" kind="quiet" icon="download" />
        <ButtonLink to={exportPath(mailbox.id, "mbox")} label="Download an mbox file" kind="quiet" icon="download" />
      </div>
    </>
  );
}

function Progress({ of: { status, size, cursor } }: { of: StoredImport }) {
  if (status === "done") return <>Done</>;
  if (status === "failed") return <>Failed</>;
  const percent = Math.floor((100 * Math.min(cursor.read, size)) / size);
  return (
    <>
      <progress value={percent} max={100} aria-label="Progress" /> {percent}% of {toSize(size)}
    </>
  );
}

const Skipped = ({ counts: { skipped, errors } }: { counts: ImportCounts }) => (
  <>
    {skipped.toLocaleString("en")}
    {errors.length === 0 ? null : <span class="soft"> {errors[0]}</span>}
  </>
);

const Imported = ({ counts: { imported, duplicates, skipped, errors } }: { counts: ImportCounts }) => (
  <>
    <Notice kind={errors.length === 0 ? "good" : "warn"}>
      {imported.toLocaleString("en")} messages were imported, {duplicates.toLocaleString("en")} were here already,{" "}
      {skipped.toLocaleString("en")} were skipped.
    </Notice>
    <ErrorList errors={errors} />
  </>
);
