import { isAtOrBelow } from "../../lib/is-at-or-below.ts";

/**
 * Services that send mail for many domains, by the end of the host names of their servers (PTR). The first that matches counts.
 */
const KNOWN: readonly (readonly [suffix: string, name: string])[] = [
  ["google.com", "Google"],
  ["googleusercontent.com", "Google Cloud"],
  ["1e100.net", "Google"],
  ["outlook.com", "Microsoft 365"],
  ["amazonses.com", "Amazon SES"],
  ["amazonaws.com", "Amazon Web Services"],
  ["sendgrid.net", "SendGrid"],
  ["mailgun.net", "Mailgun"],
  ["mailgun.org", "Mailgun"],
  ["mandrillapp.com", "Mailchimp Transactional"],
  ["mcsv.net", "Mailchimp"],
  ["mcdlv.net", "Mailchimp"],
  ["rsgsv.net", "Mailchimp"],
  ["sparkpostmail.com", "SparkPost"],
  ["mtasv.net", "Postmark"],
  ["postmarkapp.com", "Postmark"],
  ["mailjet.com", "Mailjet"],
  ["sendinblue.com", "Brevo"],
  ["brevo.com", "Brevo"],
  ["hubspotemail.net", "HubSpot"],
  ["hubspot.com", "HubSpot"],
  ["zendesk.com", "Zendesk"],
  ["salesforce.com", "Salesforce"],
  ["exacttarget.com", "Salesforce Marketing Cloud"],
  ["marketo.com", "Marketo"],
  ["mktomail.com", "Marketo"],
  ["klaviyomail.com", "Klaviyo"],
  ["constantcontact.com", "Constant Contact"],
  ["activecampaign.com", "ActiveCampaign"],
  ["intercom.io", "Intercom"],
  ["freshdesk.com", "Freshdesk"],
  ["zoho.com", "Zoho"],
  ["zoho.eu", "Zoho"],
  ["yahoo.com", "Yahoo"],
  ["icloud.com", "Apple"],
  ["apple.com", "Apple"],
  ["messagingengine.com", "Fastmail"],
  ["protonmail.ch", "Proton"],
  ["pphosted.com", "Proofpoint"],
  ["mimecast.com", "Mimecast"],
  ["iphmx.com", "Cisco Secure Email"],
  ["kundenserver.de", "IONOS"],
  ["ionos.com", "IONOS"],
  ["ovh.net", "OVHcloud"],
  ["gandi.net", "Gandi"],
  ["secureserver.net", "GoDaddy"],
  ["registrar-servers.com", "Namecheap"],
  ["hostinger.com", "Hostinger"],
  ["netease.com", "NetEase"],
  ["qq.com", "QQ Mail"],
  ["yandex.net", "Yandex"],
];

/** Returns the service that a host belongs to, or null when the table has none. Pure. */
export function knownSender(host: string): string | null {
  const found = KNOWN.find(([suffix]) => isAtOrBelow(host, suffix));
  return found?.[1] ?? null;
}
