export { EGRESS_LEASE_MS, readTicket, type Ticket, writeTicket } from "./ticket.ts";
