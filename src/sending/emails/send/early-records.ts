import { EarlySlot } from "../../../access/caller.ts";
import type { TemplateContent } from "../../templates/index.ts";
import type { SendTopics, TopicRef } from "../../topics/index.ts";
import type { Suppression } from "../rules.ts";
import type { SenderMailbox } from "./sender-rule.ts";

export interface SenderRow extends SenderMailbox {
  mailbox_id: string;
}

/** The database rows that decide whether some requests may be sent. */
export interface SendRecords {
  /** By canonical address. */
  senders: ReadonlyMap<string, SenderRow>;
  /** By canonical address. */
  suppressed: ReadonlyMap<string, Suppression>;
  topics: SendTopics;
}

/** A template of a send. `parts`: JSON list of the templates that it renders, or null. */
export type SendTemplate = TemplateContent & { parts: string | null };

/** Templates by id, as far as they were read. */
export type Templates = ReadonlyMap<string, SendTemplate>;

/** Canonical addresses and topics whose rows are read. */
export interface Addresses {
  senders: ReadonlySet<string>;
  recipients: ReadonlySet<string>;
  topics: ReadonlySet<TopicRef>;
}

/** Records that were read with the credential, and the addresses that they cover. */
type EarlySendRecords = SendRecords & { read: Addresses; templates: Templates };

/** The records that were read with the credential of the caller. */
export const earlyRecords = new EarlySlot<EarlySendRecords>();
