/** Egresses of a test file, which end with each test. */
import { afterEach } from "vitest";
import { type EgressRig, startEgressRig } from "./rig.ts";

/** Returns a function that starts an egress with limits and settings for the test that calls it. */
export function egressRigs(): typeof startEgressRig {
  const rigs: EgressRig[] = [];
  afterEach(async () => {
    await Promise.all(rigs.splice(0).map((rig) => rig.close()));
  });
  return async (...options) => {
    const rig = await startEgressRig(...options);
    rigs.push(rig);
    return rig;
  };
}
