import { isAtOrBelow } from "../../lib/is-at-or-below.ts";

/** Services that send mail for many domains, with the ends of the host names of their servers (PTR). */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  Google: ["google.com", "1e100.net"],
  "Google Cloud": ["googleusercontent.com"],
  "Microsoft 365": ["outlook.com"],
  "Amazon SES": ["amazonses.com"],
  "Amazon Web Services": ["amazonaws.com"],
  SendGrid: ["sendgrid.net"],
  Mailgun: ["mailgun.net", "mailgun.org"],
  "Mailchimp Transactional": ["mandrillapp.com"],
  Mailchimp: ["mcsv.net", "mcdlv.net", "rsgsv.net"],
  SparkPost: ["sparkpostmail.com"],
  Postmark: ["mtasv.net", "postmarkapp.com"],
  Mailjet: ["mailjet.com"],
  Brevo: ["sendinblue.com", "brevo.com"],
  HubSpot: ["hubspotemail.net", "hubspot.com"],
  Zendesk: ["zendesk.com"],
  Salesforce: ["salesforce.com"],
  "Salesforce Marketing Cloud": ["exacttarget.com"],
  Marketo: ["marketo.com", "mktomail.com"],
  Klaviyo: ["klaviyomail.com"],
  "Constant Contact": ["constantcontact.com"],
  ActiveCampaign: ["activecampaign.com"],
  Intercom: ["intercom.io"],
  Freshdesk: ["freshdesk.com"],
  Zoho: ["zoho.com", "zoho.eu"],
  Yahoo: ["yahoo.com"],
  Apple: ["icloud.com", "apple.com"],
  Fastmail: ["messagingengine.com"],
  Proton: ["protonmail.ch"],
  Proofpoint: ["pphosted.com"],
  Mimecast: ["mimecast.com"],
  "Cisco Secure Email": ["iphmx.com"],
  IONOS: ["kundenserver.de", "ionos.com"],
  OVHcloud: ["ovh.net"],
  Gandi: ["gandi.net"],
  GoDaddy: ["secureserver.net"],
  Namecheap: ["registrar-servers.com"],
  Hostinger: ["hostinger.com"],
  NetEase: ["netease.com"],
  "QQ Mail": ["qq.com"],
  Yandex: ["yandex.net"],
};

/** Returns the service that a host belongs to, or null when the table has none. Pure. */
export function knownSender(host: string): string | null {
  const found = Object.entries(KNOWN).find(([, suffixes]) => suffixes.some((suffix) => isAtOrBelow(host, suffix)));
  return found?.[0] ?? null;
}
