import {
  AutomationIn,
  activateAutomation,
  archiveAutomation,
  createAutomation,
  listAutomations,
  listRuns,
  pauseAutomation,
  toAutomation,
} from "../../../audience/automations/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { changeByButton, onceForForm, pageFor, parseFields, refusedAt, submitForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { namesOf, readChoices } from "./choices.ts";
import { AutomationPage } from "./detail.tsx";
import { dryRunPages } from "./dry-run.tsx";
import { AutomationsPage } from "./list.tsx";
import { stepId, stepOf } from "./refused-at.ts";
import { settingsPages } from "./settings.tsx";
import { readAutomation, stepPages } from "./step-routes.tsx";

const ARCHIVE = "POST /v1/automations/:automation_id/archive";

const notices: Readonly<Record<string, string>> = {
  created: "The automation is created. Add steps, then activate it.",
  saved: "The automation is saved. People who are inside finish the version that they entered.",
  activated: "The automation is active.",
  paused: "The automation is paused. People stay where they are.",
  archived: "The automation is archived.",
};

export const automationPages = newRoutes()
  .get("/app/automations", ...pageFor("GET /v1/automations/"), showList)
  .post("/app/automations", ...pageFor("POST /v1/automations/"), (c) =>
    submitForm(c, showList, async (fields) => {
      const event = fields.get("event")?.trim() ?? "";
      const input = parseFields(AutomationIn, { name: fields.get("name") ?? "", trigger: { event } });
      const { id } = await onceForForm(c, (ctx) => createAutomation(ctx, input));
      return `/app/automations/${id}?done=created`;
    }),
  )
  .get("/app/automations/:automation_id", ...pageFor("GET /v1/automations/:automation_id"), showAutomation)
  .post("/app/automations/:automation_id/activate", ...pageFor("POST /v1/automations/:automation_id/activate"), (c) =>
    changeByButton(c, PAGE, "activated", (caller, id) => refusedAt(() => activateAutomation(caller, id), placeOf)),
  )
  .post("/app/automations/:automation_id/pause", ...pageFor("POST /v1/automations/:automation_id/pause"), (c) =>
    changeByButton(c, PAGE, "paused", pauseAutomation),
  )
  .get("/app/automations/:automation_id/archive", ...pageFor(ARCHIVE), async (c) => {
    const { id, name } = await readAutomation(c);
    return respondPage(
      c,
      <ConfirmPage title={`Archive ${name}?`} button="Archive automation" back={`/app/automations/${id}`}>
        All people leave it, and its emails that have not left are cancelled. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/automations/:automation_id/archive", ...pageFor(ARCHIVE), (c) =>
    changeByButton(c, PAGE, "archived", archiveAutomation),
  )
  .route("/", settingsPages)
  .route("/", dryRunPages)
  .route("/", stepPages);

/** Returns the id of the step that an error of an activation is about, or that of what the settings page changes. */
const placeOf = (loc: readonly (string | number)[]): string => {
  const step = stepOf(loc);
  return step === null ? "trigger" : stepId(step);
};

const PAGE = { parameter: "automation_id", show: showAutomation, pathOf: (id: string) => `/app/automations/${id}` };

async function showList(c: AppContext) {
  const { automations, next } = await listAutomations(c.get("caller"), {
    before: c.req.query("before"),
    limit: PAGE_SIZE,
  });
  return respondPage(c, <AutomationsPage automations={automations.map(toAutomation)} />, {
    notices,
    next: next && `/app/automations?before=${next}`,
  });
}

async function showAutomation(c: AppContext) {
  const caller = c.get("caller");
  const before = c.req.query("before")?.toLowerCase();
  const address = c.req.query("address")?.trim() ?? "";
  const person = address === "" ? undefined : (parseAddress(address)?.key ?? "");
  const [automation, choices, { runs, next }] = await Promise.all([
    readAutomation(c),
    readChoices(caller),
    listRuns(caller, c.req.param("automation_id") ?? "", { before, person, limit: PAGE_SIZE }),
  ]);
  const page = <AutomationPage automation={automation} runs={runs} address={address} names={namesOf(choices)} />;
  return respondPage(c, page, {
    notices,
    next:
      next && `/app/automations/${automation.id}?${new URLSearchParams({ ...(address && { address }), before: next })}`,
  });
}
