import {
  AutomationIn,
  activateAutomation,
  archiveAutomation,
  createAutomation,
  getAutomation,
  listAutomations,
  listRuns,
  pauseAutomation,
  readFlowFigures,
  toAutomation,
} from "../../../audience/automations/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, creation, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { refusedAt } from "../../../http/page-routes.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { withQuery } from "../../../lib/with-query.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { namesOf, readChoices } from "./choices.ts";
import { AutomationPage } from "./detail.tsx";
import { dryRunPages } from "./dry-run.tsx";
import { emailPreviewRoutes } from "./email-preview.tsx";
import { AutomationsPage } from "./list.tsx";
import { stepId, stepOf } from "./refused-at.ts";
import { settingsRoutes } from "./settings.tsx";
import { stepRoutes } from "./step-routes.tsx";

export const automationPages = pagesOf(
  "automation",
  page("/app/automations", "GET /v1/automations/", async (c) => {
    const before = c.req.query("before");
    const { automations, next } = await listAutomations(c.get("caller"), { before, limit: PAGE_SIZE });
    return respondPage(c, <AutomationsPage automations={automations.map(toAutomation)} />, {
      next: next && `/app/automations?before=${next}`,
    });
  }),
  creation("/app/automations", "POST /v1/automations/", {
    read: inputOf(AutomationIn, { trigger: (form) => ({ event: form.get("event")?.trim() ?? "" }) }),
    run: createAutomation,
    to: "/app/automations/:id",
    done: { created: "The automation is created. Add steps, then activate it." },
  }),
  page("/app/automations/:automation_id", "GET /v1/automations/:automation_id", showAutomation),
  button("/app/automations/:automation_id/activate", "POST /v1/automations/:automation_id/activate", {
    run: (caller, id) => refusedAt(() => activateAutomation(caller, id), placeOf),
    done: { activated: "The automation is active." },
  }),
  button("/app/automations/:automation_id/pause", "POST /v1/automations/:automation_id/pause", {
    run: pauseAutomation,
    done: { paused: "The automation is paused. People stay where they are." },
  }),
  question("/app/automations/:automation_id/archive", "POST /v1/automations/:automation_id/archive", {
    of: getAutomation,
    title: ({ name }) => `Archive ${name}?`,
    button: "Archive automation",
    text: "All people leave it, and its emails that have not left are cancelled. This cannot be undone.",
    run: archiveAutomation,
    to: "/app/automations/:automation_id",
    done: { archived: "The automation is archived." },
  }),
  ...settingsRoutes,
  dryRunPages,
  ...stepRoutes,
  ...emailPreviewRoutes,
);

/** Returns the id of the step that an error of an activation is about, or that of what the settings page changes. */
function placeOf(loc: readonly (string | number)[]): string {
  const step = stepOf(loc);
  return step === null ? "trigger" : stepId(step);
}

/** With more people inside, the script that reads the page again leaves the figures at its steps: each read would count them all. */
const POLLED_PEOPLE = 500;

async function showAutomation(c: AppContext) {
  const caller = c.get("caller");
  const id = c.req.param("automation_id") ?? "";
  const before = c.req.query("before")?.toLowerCase();
  const address = c.req.query("address")?.trim() ?? "";
  const person = address === "" ? undefined : (parseAddress(address)?.key ?? "");
  const isPolled = c.req.header("Sec-Fetch-Mode") === "cors";
  const read = async () => {
    const row = await getAutomation(caller, id);
    const automation = toAutomation(row);
    const isLeft = isPolled && automation.counters.active > POLLED_PEOPLE;
    return { automation, figures: isLeft ? null : await readFlowFigures(caller, row) };
  };
  const [{ automation, figures }, choices, { runs, next }] = await Promise.all([
    read(),
    readChoices(caller),
    listRuns(caller, id, { before, person, limit: PAGE_SIZE }),
  ]);
  const names = namesOf(choices);
  const shown = (
    <AutomationPage automation={automation} figures={figures} runs={runs} address={address} names={names} />
  );
  return respondPage(c, shown, {
    next: next && withQuery(`/app/automations/${automation.id}`, { address, before: next }),
  });
}
