import type { Attack } from "./attack.ts";
import { campaignAttacks } from "./campaign-attacks.ts";
import { deletionAttacks } from "./deletion-attacks.ts";
import { domainAttacks } from "./domain-attacks.ts";
import { identityAttacks } from "./identity-attacks.ts";
import { mailboxAttacks } from "./mailbox-attacks.ts";
import { noticeAttacks } from "./notice-attacks.ts";
import { peopleAttacks } from "./people-attacks.ts";
import { repeatedAttacks } from "./repeated-attacks.ts";
import { sendingAttacks } from "./sending-attacks.ts";

/** All attacks, in the order of the day. */
export const attacks: readonly Attack[] = [
  ...identityAttacks,
  ...domainAttacks,
  ...sendingAttacks,
  ...peopleAttacks,
  ...campaignAttacks,
  ...mailboxAttacks,
  ...noticeAttacks,
  ...deletionAttacks,
  ...repeatedAttacks,
];
