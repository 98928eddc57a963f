import { describe, expect, it } from "vitest";
import { chromiumUnavailable, findViolations } from "./support/browser.ts";
import { lookAt, SIGHTS, type Sight } from "./support/every-page/look-at.ts";
import { allStates, type Look } from "./support/every-page/pages.ts";
import { picturesIn } from "./support/every-page/pictures.ts";
import { openEveryPage } from "./support/every-page/site.ts";
import { isFull } from "./support/extent.ts";
import { mainButtons } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** The folder for pictures (`npm run pictures -- all`), and the beginning of the routes that are looked at. */
const { PAGE_PICTURES: folder, PAGE_ROUTES: routes = "/" } = process.env;

/** In `npm test`, axe looks at the pages outside of the dashboard in one sight: it takes several times as long as all rules. */
const hasAxe = ({ route }: Look, sight: Sight) => isFull || (sight === SIGHTS[0] && !route.startsWith("/app"));

const site = perSuite(openEveryPage);

describe.skipIf(chromiumUnavailable() !== null)("every page", () => {
  it("has nothing that is covered, overlaps, is too narrow or is no word for people, and no accessibility issue", async () => {
    const states = allStates().filter(({ route }) => route.startsWith(routes));
    const pictures = folder === undefined ? null : await picturesIn(folder);
    const faults = await lookAt(site, states, SIGHTS, async (page, state, sight) => {
      await pictures?.save(page, state, sight);
      const main = state.route.startsWith("/app") ? await mainButtons(page) : [];
      const issues = pictures === null && hasAxe(state, sight) ? await findViolations(page) : [];
      if (main.length > 1) issues.push(`has the main buttons ${main.join(", ")}`);
      const title = await page.title();
      // A link of a recipient that leads to nothing has no sender, and shows nothing of the service.
      const isNobodys = state.isRefused && /^\/[ucf]\//.test(state.route);
      if (!title.includes(" · ") && !isNobodys)
        issues.push(`has the title “${title}”, which does not name the workspace or the service`);
      return issues;
    });
    await pictures?.writeSheets(states, SIGHTS);
    expect(faults).toEqual([]);
  }, 1_200_000);
});
