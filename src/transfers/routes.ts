import { newRoutes } from "../http/env.ts";
import { transferPageRoutes } from "./domain-transfers/pages/routes.tsx";
import { transferRoutes } from "./domain-transfers/routes.ts";

/** The routes of the area. */
export const transfersRoutes = newRoutes().route("/", transferRoutes.app).route("/", transferPageRoutes);
