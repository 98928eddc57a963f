/** MX records are of the owner of a domain: its own hosts behind one of a large receiver speak for themselves only. */
import { expect, it } from "vitest";
import type { ReceiversFile } from "./support/egress/rig.ts";
import { egressRigs } from "./support/egress/rigs.ts";

const aRig = egressRigs();

/** A receiver whose replies stop mail. */
const largeWith = (kind: string): ReceiversFile => [
  {
    name: "large",
    mxSuffixes: [".large.test"],
    rules: [{ pattern: "blocked", action: { kind }, minutes: 60, isTemporary: true }],
  },
];

it.each(["pause-receiver", "pause-source"])(
  "a reply of a host that is not of the receiver sets off no %s of it",
  async (kind) => {
    const rig = await aRig({}, { receivers: largeWith(kind) });
    const large = await rig.receiver("large");
    await rig.receiver("other");
    const foreign = await rig.receiver("foreign", {
      recipients: { "a@evil.test": "550 5.7.1 your address is blocked" },
    });
    // No port of it is open, as at a web server of the receiver.
    rig.zone["www.large.test"] = { a: ["127.0.0.99"] };
    rig.zone["evil.test"] = {
      mx: [
        [10, "www.large.test"],
        [20, "mx.foreign.test"],
      ],
    };
    await rig.handOver({ to: ["a@evil.test"] });
    await expect
      .poll(() => rig.worker.resultsOf("a@evil.test"))
      .toMatchObject([{ kind: "recipient-refused", relay: "mx.foreign.test", reply: { code: 550 } }]);
    for (const to of ["a@large.test", "a@other.test"]) {
      expect(await rig.handOver({ to: [to] })).toMatchObject([{ kind: "accepted" }]);
      await expect.poll(() => rig.worker.resultsOf(to)).toMatchObject([{ kind: "accepted" }]);
    }
    expect([foreign.messages.length, large.messages.length]).toEqual([0, 1]);
  },
);
