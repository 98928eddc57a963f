/** Workspaces whose deployment has hosts of customers, by the stand-in for the API of custom hostnames. */
import { env } from "cloudflare:workers";
import { HOSTNAME_TARGET } from "../../dev/custom-hostnames/target.ts";

/** Settings with which the deployment has hosts. `token` makes calls of the API fail (dev/custom-hostnames/server.ts). */
export const hostSettings = (token = "token", zone = "zone") => ({
  HOSTNAME_ZONE_ID: zone,
  HOSTNAME_API_TOKEN: token,
  HOSTNAME_TARGET,
  HOSTNAME_API_URL: `http://127.0.0.1:${env.TEST_SERVERS.hostnames}/client/v4`,
});
