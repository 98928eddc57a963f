import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
import {
  AppLayout,
  ButtonLink,
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
import {
  getWorkspace,
  updateWorkspace,
  WorkspacePatch,
  type WorkspaceRow,
} from "../../../identity/workspaces/index.ts";
import { requireVersion, versionOf } from "../../../lib/form-version.ts";
import { deleteWorkspacePages } from "./delete-workspace.tsx";
import { readSettingsForm, type SettingsForm, toSettingsForm, toTracking, trackingOptions, valuesOf } from "./form.ts";
import { newWorkspacePages } from "./new-workspace.tsx";
import { PausedMail, pausedMailPages } from "./paused-mail.tsx";
import { TimeZoneForm, timeZonePages } from "./time-zone.tsx";

export const settingsPages = newRoutes()
  .route("/", deleteWorkspacePages)
  .route("/", newWorkspacePages)
  .route("/", timeZonePages)
  .route("/", pausedMailPages)
  .get("/app/settings", ...pageFor("GET /v1/workspaces/:workspace_id"), showSettings)
  .post("/app/settings", ...pageFor("PATCH /v1/workspaces/:workspace_id"), (c) =>
    submitForm(c, showSettings, async (fields) => {
      const caller = c.get("caller");
      const form = readSettingsForm(fields);
      const patch = parseFields(WorkspacePatch, {
        name: form.name,
        sending_paused: form.isPaused,
        settings: {
          tracking_opens: toTracking(form.opens),
          tracking_clicks: toTracking(form.clicks),
          retention_days: form.days === "" ? null : Number(form.days),
        },
      });
      const stored = toSettingsForm(await getWorkspace(caller));
      requireVersion(fields.get("version") ?? "", valuesOf(stored), valuesOf(form));
      await updateWorkspace(caller, caller.workspace.id, patch);
      return "/app/settings?done=saved";
    }),
  );

const notices: Readonly<Record<string, string>> = {
  saved: "The settings are saved.",
  zone: "The time zone is saved.",
  resumed: "The mail is resumed. What waited leaves now.",
};

async function showSettings(c: AppContext) {
  return respondPage(c, <SettingsPage workspace={await getWorkspace(c.get("caller"))} />, { notices });
}

/** Name, pause and tracking of the workspace. */
const SettingsPage = ({ workspace }: { workspace: WorkspaceRow }) => (
  <AppLayout title="Settings">
    {useScope("team:manage") ? (
      <SettingsFields form={toSettingsForm(workspace)} />
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
    <h2>Ids</h2>
    <Facts of={{ Workspace: { code: workspace.id } }} />
    {useCaller().actor.role === "owner" ? (
      <p>
        <ButtonLink to="/app/settings/delete" label="Delete workspace" kind="danger" />
      </p>
    ) : null}
  </AppLayout>
);

const SettingsFields = ({ form }: { form: SettingsForm }) => (
  <Form class="form" action="/app/settings">
    <VersionField version={versionOf(valuesOf(form))} />
    <Field name="name" label="Name of the workspace" value={form.name} />
    <Select name="tracking_opens" label="Count opens" options={trackingOptions} value={form.opens} />
    <Select name="tracking_clicks" label="Count clicks" options={trackingOptions} value={form.clicks} />
    <Field
      name="retention_days"
      label="Days for which emails are kept"
      type="number"
      value={form.days}
      required={false}
      hint={`Older emails, and older entries of the inbound log, are deleted within the hour, for good. Empty: ${useCaller().settings.retentionDays} days, which is the most.`}
    />
    <fieldset>
      <legend>Sending</legend>
      <Check
        name="sending_paused"
        label="Pause sending: new emails are refused and queued ones wait."
        checked={form.isPaused}
      />
    </fieldset>
    <button type="submit">Save</button>
  </Form>
);
