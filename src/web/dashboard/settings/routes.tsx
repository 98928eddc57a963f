import { inputOf, isChecked } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, change, page, pagesOf } from "../../../http/page-actions.tsx";
import { textOf } from "../../../http/page-routes.ts";
import {
  AppLayout,
  ButtonLine,
  Check,
  Facts,
  Field,
  Form,
  Select,
  Status,
  useCaller,
  useScope,
  VersionField,
} from "../../../http/ui/index.ts";
import { saveTimeZone } from "../../../identity/members/index.ts";
import {
  getWorkspace,
  updateWorkspace,
  WorkspacePatch,
  type WorkspaceRow,
} from "../../../identity/workspaces/index.ts";
import { type FormValues, versionOf } from "../../../lib/form-version.ts";
import { resumeBulk } from "../../../sending/rates/index.ts";
import { brandPages } from "./brand.tsx";
import { deleteWorkspacePages } from "./delete-workspace.tsx";
import { newWorkspacePages } from "./new-workspace.tsx";
import { PausedMail } from "./paused-mail.tsx";
import { TimeZoneForm } from "./time-zone.tsx";
import { usagePage } from "./usage.tsx";

const tracking = { on: true, off: false } as const;

const readSettings = inputOf(WorkspacePatch, {
  sending_paused: isChecked,
  settings: (form) => {
    const trackingOf = (name: string) => tracking[form.get(name) as keyof typeof tracking] ?? null;
    const days = form.get("retention_days")?.trim() ?? "";
    return {
      tracking_opens: trackingOf("tracking_opens"),
      tracking_clicks: trackingOf("tracking_clicks"),
      retention_days: days === "" ? null : Number(days),
    };
  },
});

const trackingOptions = { "": "In bulk emails only", on: "In every email", off: "Never" };

/** Returns a setting as a value of `trackingOptions`. */
const wordOf = (value: boolean | null | undefined) => (value === true ? "on" : value === false ? "off" : "");

const labelOf = (value: boolean | null | undefined) => trackingOptions[wordOf(value)];

const toPatch = ({ name, settings, sendingPausedAt }: WorkspaceRow): WorkspacePatch => ({
  name,
  settings,
  sending_paused: sendingPausedAt !== null,
});

const valuesOf = ({ name = "", settings = {}, sending_paused }: WorkspacePatch): FormValues => ({
  "Name of the workspace": name,
  "Count opens": labelOf(settings.tracking_opens),
  "Count clicks": labelOf(settings.tracking_clicks),
  "Days for which emails are kept": String(settings.retention_days ?? ""),
  "Pause sending": sending_paused ? "yes" : "no",
});

export const settingsPages = pagesOf(
  "workspace",
  deleteWorkspacePages,
  ...brandPages,
  newWorkspacePages,
  usagePage,
  page("/app/settings", "GET /v1/workspaces/:workspace_id", async (c) =>
    respondPage(c, <SettingsPage workspace={await getWorkspace(c.get("caller"))} />),
  ),
  change("/app/settings", "PATCH /v1/workspaces/:workspace_id", {
    read: readSettings,
    run: (caller, patch) => updateWorkspace(caller, caller.workspace.id, patch),
    version: { stored: async (caller) => valuesOf(toPatch(await getWorkspace(caller))), entered: valuesOf },
    done: { saved: "The settings are saved." },
  }),
  change("/app/settings/time-zone", "GET /v1/workspaces/:workspace_id", {
    read: (fields) => textOf(fields, "time_zone"),
    run: saveTimeZone,
    done: { zone: "The time zone is saved." },
  }),
  button("/app/settings/resume-bulk", "POST /v1/workspaces/:workspace_id/resume-bulk", {
    run: (caller) => resumeBulk(caller, caller.workspace.id),
    done: { resumed: "The mail is resumed. What waited leaves now." },
  }),
);

const SettingsPage = ({ workspace }: { workspace: WorkspaceRow }) => (
  <AppLayout title="Settings">
    {useScope("team:manage") ? (
      <>
        <SettingsFields workspace={workspace} />
        <h2>Brand</h2>
        <ButtonLine to="/app/settings/brand" label="Logo, colour and postal address" kind="quiet" />
      </>
    ) : (
      <Facts
        of={{
          Name: workspace.name,
          Sending: <Status word={workspace.sendingPausedAt === null ? "active" : "paused"} />,
        }}
      />
    )}
    <PausedMail workspace={workspace} />
    <TimeZoneForm />
    <h2>Usage</h2>
    <ButtonLine to="/app/settings/usage" label="Usage and limits" kind="quiet" />
    <h2>Workspace</h2>
    <Facts of={{ Id: { code: workspace.id } }} />
    {useCaller().actor.role === "owner" ? (
      <ButtonLine to="/app/settings/delete" label="Delete workspace" kind="danger" />
    ) : null}
  </AppLayout>
);

const SettingsFields = ({ workspace }: { workspace: WorkspaceRow }) => (
  <Form class="form" action="/app/settings">
    <VersionField version={versionOf(valuesOf(toPatch(workspace)))} />
    <Field name="name" label="Name of the workspace" value={workspace.name} />
    <Select
      name="tracking_opens"
      label="Count opens"
      options={trackingOptions}
      value={wordOf(workspace.settings.tracking_opens)}
    />
    <Select
      name="tracking_clicks"
      label="Count clicks"
      options={trackingOptions}
      value={wordOf(workspace.settings.tracking_clicks)}
    />
    <Field
      name="retention_days"
      label="Days for which emails are kept"
      type="number"
      value={String(workspace.settings.retention_days ?? "")}
      required={false}
      hint={`Older emails, and older entries of the inbound log, are deleted within the hour, for good. Empty: ${useCaller().settings.retentionDays} days, which is the most.`}
    />
    <fieldset>
      <legend>Sending</legend>
      <Check
        name="sending_paused"
        label="Pause sending: new emails are refused and queued ones wait."
        checked={workspace.sendingPausedAt !== null}
      />
    </fieldset>
    <button type="submit">Save</button>
  </Form>
);
