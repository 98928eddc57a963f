import type { Context } from "hono";
import { Hono } from "hono";
import type { CallerCtx } from "../../../access/caller.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ButtonLink, Check, Facts, Field, Form, Layout, Select, Status, VersionField } from "../../../http/ui/index.ts";
import {
  getWorkspace,
  updateWorkspace,
  WorkspacePatch,
  type WorkspaceRow,
} from "../../../identity/workspaces/index.ts";
import { requireVersion } from "../../../lib/form-version.ts";
import { deleteWorkspacePages } from "./delete-workspace.tsx";
import { readSettingsForm, type SettingsForm, toSettingsForm, toTracking, trackingOptions, valuesOf } from "./form.ts";
import { PausedMail, pausedMailPages } from "./paused-mail.tsx";
import { TimeZoneForm, timeZonePages } from "./time-zone.tsx";

export const settingsPages = new Hono<AppEnv>()
  .route("/", deleteWorkspacePages)
  .route("/", timeZonePages)
  .route("/", pausedMailPages)
  .get("/app/settings", ...pageFor("GET /v1/workspaces/:workspace_id"), (c) => showSettings(c))
  .post("/app/settings", ...pageFor("PATCH /v1/workspaces/:workspace_id"), async (c) => {
    const form = readSettingsForm(await readForm(c));
    const caller = c.get("caller");
    return submitForm(
      c,
      async () => {
        const patch = parseFields(WorkspacePatch, {
          name: form.name,
          sending_paused: form.isPaused,
          settings: {
            tracking_opens: toTracking(form.opens),
            tracking_clicks: toTracking(form.clicks),
            retention_days: form.days === "" ? null : Number(form.days),
          },
        });
        requireVersion(form.version, valuesOf(toSettingsForm(await getWorkspace(caller))), valuesOf(form));
        await updateWorkspace(caller, caller.workspace.id, patch);
        return "/app/settings?done=saved";
      },
      (refusal) => showSettings(c, { refusal, form }),
    );
  });

const notices: Readonly<Record<string, string>> = {
  saved: "The settings are saved.",
  zone: "The time zone is saved.",
  resumed: "The mail is resumed. What waited leaves now.",
};

async function showSettings(c: Context<AppEnv>, submitted?: { refusal: Refusal; form: SettingsForm }) {
  const caller = c.get("caller");
  const workspace = await getWorkspace(caller);
  const { refusal, form = toSettingsForm(workspace) } = submitted ?? {};
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  const page = <SettingsPage {...{ caller, workspace, form, notice, refusal }} days={caller.settings.retentionDays} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

interface SettingsPageProps {
  caller: CallerCtx;
  workspace: WorkspaceRow;
  form: SettingsForm;
  /** Those of the deployment. */
  days: number;
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** Name, pause and tracking of the workspace. */
const SettingsPage = ({ caller, workspace, form, days, notice, refusal }: SettingsPageProps) => (
  <Layout title="Settings" caller={caller} at="/app/settings" notice={notice}>
    {caller.actor.scopes.has("team:manage") ? (
      <Form class="form" action="/app/settings" refusal={refusal}>
        <VersionField version={form.version} refusal={refusal} />
        <Field name="name" label="Name of the workspace" value={form.name} errors={refusal?.errors} />
        <Select name="tracking_opens" label="Count opens" options={trackingOptions} value={form.opens} />
        <Select name="tracking_clicks" label="Count clicks" options={trackingOptions} value={form.clicks} />
        <Field
          name="retention_days"
          label="Days for which emails are kept"
          type="number"
          value={form.days}
          required={false}
          hint={`Older emails, and older entries of the inbound log, are deleted within the hour, for good. Empty: ${days} days, which is the most.`}
          errors={refusal?.errors}
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
    ) : (
      <Facts
        of={{
          Name: workspace.name,
          Sending: <Status word={workspace.sendingPausedAt === null ? "active" : "paused"} />,
        }}
      />
    )}
    <PausedMail caller={caller} workspace={workspace} />
    <TimeZoneForm caller={caller} />
    <h2>Ids</h2>
    <Facts of={{ Workspace: { code: workspace.id } }} />
    {caller.actor.role === "owner" ? (
      <p>
        <ButtonLink to="/app/settings/delete" label="Delete workspace" kind="danger" />
      </p>
    ) : null}
  </Layout>
);
