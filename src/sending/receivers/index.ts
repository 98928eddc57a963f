export { egressNameOf } from "./egress-name.ts";
export {
  domainOf,
  FIND_WAITS,
  findReceiversOf,
  findWaits,
  type ReceiverWait,
  type ReceiverWaitRow,
} from "./find-waits.ts";
export { listReceivers, type ReceiverRow } from "./list.ts";
export { receiverDomainsStatement, receiverVolumeStatement, receiverWaitsStatement } from "./statements.ts";
export { readVolume, VOLUME_DAYS } from "./volume.ts";
export {
  type DomainCount,
  findWarmUpParts,
  saveWarmUp,
  WARM_UP_KEPT_DAYS,
  type WarmUpPart,
} from "./warm-ups.ts";
