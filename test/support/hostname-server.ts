import { startCustomHostnames } from "../../dev/custom-hostnames/server.ts";
import type { FindCname } from "../../dev/custom-hostnames/store.ts";
import { HOSTNAME_TARGET } from "../../dev/custom-hostnames/target.ts";

/** Starts the stand-in for the API of custom hostnames, which asks the DNS server of the tests. */
export async function startHostnames(findCname: FindCname) {
  const server = await startCustomHostnames(0, HOSTNAME_TARGET, findCname);
  return { ports: { hostnames: server.port }, stop: () => server.close() };
}
