import { PERSON } from "./names.ts";
import { type Pages, SEEDED, type State } from "./state.ts";

const linked = (kind: string, state: State = {}) => ({
  seeded: { ids: { token: kind }, ...state },
  broken: { ...state, ids: { token: "unknown" }, isRefused: true },
});

/** Pages of visitors, of mailed links and of the reference. */
export const PUBLIC_PAGES: Pages = {
  "/": SEEDED,
  "/status": SEEDED,
  "/auth/sign-in": SEEDED,
  "/auth/magic-link/:token": linked("magicLink"),
  "/auth/totp": {
    seeded: {
      act: async (page) => {
        const { origin, pathname } = new URL(page.url());
        await page
          .context()
          .addCookies([{ name: "second_factor", value: "unknown", url: `${origin}/auth`, secure: true }]);
        await page.goto(pathname.replace("sign-in", "totp"));
      },
    },
  },
  "/oauth/authorize": { seeded: { as: "owner", query: "{authorize}" } },
  "/invitations/:token": linked("invitation"),
  "/u/:token": linked("unsubscribe"),
  "/c/:token": linked("confirm"),
  "/f/:token": linked("form"),
  "/forwards/:token": linked("forward"),
  "/domain-transfers/accept/:token": linked("accept", { as: "newcomer" }),
  "/domain-transfers/stop/:token": linked("stop", { as: "owner" }),
  "/docs": {
    seeded: {},
    search: { query: "?q=domain" },
    "nothing found": { query: `?q=${encodeURIComponent(PERSON)}` },
  },
  "/docs/:kind{guides|rules}/:file": {
    guide: { ids: { kind: "guides", file: "first-email" } },
    rule: { ids: { kind: "rules", file: "automations" } },
  },
  "/docs/:file": {
    seeded: { ids: { file: "emails" } },
    automations: { ids: { file: "automations" } },
    unknown: { ids: { file: "unknown" }, isRefused: true },
  },
  "/docs/try/:operation": {
    seeded: { as: "owner", ids: { operation: "sendEmail" } },
    "called again": {
      as: "owner",
      ids: { operation: "sendEmail" },
      act: async (page) => {
        await page.getByRole("button", { name: "POST /v1/emails/" }).click();
        await page.getByRole("button", { name: "Call again with the same key" }).click();
      },
    },
  },
};
