/**
 * Reports of providers, as they stand among the samples of parsedmarc (github.com/domainaware/parsedmarc, samples/), and the numbers in
 * them as an independent reader (`read_reports.py`: Python's ElementTree, gzip, zipfile and json) finds them.
 */

const record = (
  ip: string,
  count: number,
  [disposition, dkim, spf]: readonly [string, string, string],
  from: string,
) => `
  <record><row><source_ip>${ip}</source_ip><count>${count}</count>
    <policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
  <identifiers><header_from>${from}</header_from></identifiers>
  <auth_results><spf><domain>${from}</domain><result>${spf}</result></spf></auth_results></record>`;

/** Appendix B of RFC 9990. */
export const RFC9990 = `<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">
  <version>1.0</version>
  <report_metadata>
    <org_name>Sample Reporter</org_name>
    <email>report_sender@example-reporter.com</email>
    <extra_contact_info>...</extra_contact_info>
    <report_id>3v98abbp8ya9n3va8yr8oa3ya</report_id>
    <date_range><begin>302832000</begin><end>302918399</end></date_range>
    <generator>Example DMARC Aggregate Reporter v1.2</generator>
  </report_metadata>
  <policy_published>
    <domain>example.com</domain>
    <p>quarantine</p><sp>none</sp><np>none</np><testing>n</testing><discovery_method>treewalk</discovery_method>
  </policy_published>
  <record>
    <row>
      <source_ip>192.0.2.123</source_ip>
      <count>123</count>
      <policy_evaluated><disposition>pass</disposition><dkim>pass</dkim><spf>fail</spf></policy_evaluated>
    </row>
    <identifiers><envelope_from>example.com</envelope_from><header_from>example.com</header_from></identifiers>
    <auth_results>
      <dkim><domain>example.com</domain><result>pass</result><selector>abc123</selector></dkim>
      <spf><domain>example.com</domain><result>fail</result></spf>
    </auth_results>
  </record>
</feedback>
`;

export const OUTLOOK = `<?xml version="1.0"?>
<feedback xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <version>1.0</version>
  <report_metadata>
    <org_name>Outlook.com</org_name>
    <email>dmarcreport@microsoft.com</email>
    <report_id>cfeafefe4129445e8c81018bd9177197</report_id>
    <date_range><begin>1711756800</begin><end>1711843200</end></date_range>
  </report_metadata>
  <policy_published>
    <domain>example.com</domain><adkim>r</adkim><aspf>r</aspf><p>none</p><sp>none</sp><pct>100</pct><fo>0</fo>
  </policy_published>${record("100.24.188.149", 1, ["none", "fail", "fail"], "example.com")}
</feedback>
`;

export const ZOHO = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<feedback>
  <report_metadata>
    <org_name>zoho.com</org_name>
    <email>noreply-dmarc@zoho.com</email>
    <extra_contact_info>https://www.zoho.com/mail/help/adminconsole/dmarc-policy.html</extra_contact_info>
    <report_id>e2cb5d97-dcbb-470f-b2dd-45519a2abbb3</report_id>
    <date_range><begin>1581753600</begin><end>1581840000</end></date_range>
  </report_metadata>
  <policy_published><domain>example.com</domain><adkim>r</adkim><aspf>r</aspf><p>none</p><pct>100</pct><fo>0</fo></policy_published>
${["146.18", "143.97", "146.224", "143.87", "143.62", "143.52", "148.142"]
  .map((end) => record(`216.71.${end}`, 1, ["none", "fail", "fail"], "example.com"))
  .join("")}${record("216.71.148.247", 2, ["none", "fail", "fail"], "example.com")}
</feedback>
`;

/** A report of the form that RFC 9990 replaced, with two outcomes. */
export const EXAMPLE_NET = `<?xml version="1.0"?>
<feedback>
  <version>2.0</version>
  <report_metadata>
    <org_name>example.net</org_name><email>postmaster@example.net</email><report_id>dmarcbis-test-report-001</report_id>
    <date_range><begin>1700000000</begin><end>1700086399</end></date_range>
  </report_metadata>
  <policy_published>
    <domain>example.com</domain><adkim>s</adkim><aspf>s</aspf><p>reject</p><sp>quarantine</sp><np>reject</np>
    <testing>y</testing><discovery_method>treewalk</discovery_method><fo>1</fo>
  </policy_published>${record("198.51.100.1", 5, ["none", "pass", "pass"], "example.com")}
${record("203.0.113.10", 2, ["reject", "fail", "fail"], "example.com")}
</feedback>
`;

/** A whole message of Google with a zip file. */
export const GOOGLE_ZIP = `Date: Tue, 12 Feb 2019 15:59:59 -0800
Message-ID: <949348866075514174@google.com>
Subject: Report domain: borschow.com Submitter: google.com Report-ID: 949348866075514174
From: <noreply-dmarc-support@google.com>
To: <dmarcreports@cardinalhealth.com>
MIME-Version: 1.0
Content-type: multipart/mixed;
	boundary="B_3632898004_720446853"

> This message is in MIME format. Since your mail reader does not understand
this format, some or all of this message may not be legible.

--B_3632898004_720446853
Content-type: text/plain;
	charset="UTF-8"
Content-transfer-encoding: 7bit



--B_3632898004_720446853
Content-type: application/zip; name="google.com!borschow.com!1549929600!1550015999.zip";
 x-mac-creator="4F50494D"
Content-ID: <B399946F5954C04A8523535C1E5699A5@namprd04.prod.outlook.com>
Content-disposition: attachment;
	filename="google.com!borschow.com!1549929600!1550015999.zip"
Content-transfer-encoding: base64


UEsDBAoAAAAIAPhTTU5+28OP0QEAACgEAAAxAAAAZ29vZ2xlLmNvbSFib3JzY2hvdy5jb20h
MTU0OTkyOTYwMCExNTUwMDE1OTk5LnhtbI1TwXakIBC85yvmzX1EJ2rGfYTsab9g9+xjoFU2
CjzATPL3iwHRnexhT2J1d3VXNeCX92k8vIGxQsnnY5HlxwNIpriQ/fPx188fp8vx8EIecAfA
r5S9kofDARvQyrh2Akc5dXTBPKpM30o6AemV6kfImJowSmDIgYmKkUjlGcaPE5+oYSc764Xu
+74s5MWad2doy5R0lLlWyE6RwTltvyEUS7OtFFFEpb2BQeeyrqtL7rm+1gfiKENw0pTNY3m5
1HX+VFVFWTyVGG3RkO2VQmuo7KMWD12hF5IUVdk056bOfa+ArHGQ3EerPC+qpmn8JHIlQ3+z
pW57S7FWo2AfrZ6vo7ADpEGUN0eSqzKWDeoWDItgyKD8VUzEYBQOEbS6+8SWb4A0MfAbmMNI
R8RukF0xzRwpFnHL4XPYfw3m3WTKrDMadUsuWDUbBq3QpDln1WNWFHVW5GffIQXWVKZm6Zth
FA4rHPvBGx1n7xtfA4sZwmplhfPXN02+x3aZixWdv1Y+IbkSRXcxkKzZqbzr6le1asOCg3Si
E/75pLIBKAfTdkZNdyvaRyLVFwJMZze0Buw8uo1zN9b/7D9e7oUj6oo/Sdp2BdB9wyU5LBKj
7dH/AVBLAQIKAAoAAAAIAPhTTU5+28OP0QEAACgEAAAxAAAAAAAAAAAAAAAAAAAAAABnb29n
bGUuY29tIWJvcnNjaG93LmNvbSExNTQ5OTI5NjAwITE1NTAwMTU5OTkueG1sUEsFBgAAAAAB
AAEAXwAAACACAAAAAA==
--B_3632898004_720446853--
`;

/** A whole message of Google with a TLS report in gzip. */
export const GOOGLE_TLS = `Date: Wed, 04 Sep 2024 03:53:20 -0700
TLS-Report-Domain: cardinalhealth.ca
TLS-Report-Submitter: google.com
Message-ID: <66d83c20.050a0220.a0566.1e8dtls@google.com>
Subject: Report Domain: cardinalhealth.ca Submitter: google.com Report-ID: <2024.09.03T00.00.00Z+cardinalhealth.ca@google.com>
From: noreply-smtp-tls-reporting@google.com
To: dmarcreports@cardinalhealth.com
Content-Type: multipart/report; boundary="0000000000007877ce062148fba9"; report-type=tlsrpt
MIME-Version: 1.0

--0000000000007877ce062148fba9
Content-Type: text/plain; charset="UTF-8"; format=flowed; delsp=yes
Content-Transfer-Encoding: quoted-printable

        External Email =E2=80=93 Please use caution before opening attachme=
nts or clicking links


This is an aggregate TLS report from google.com

--0000000000007877ce062148fba9
Content-Type: application/tlsrpt+gzip; 
	name="google.com!cardinalhealth.ca!1725321600!1725407999!001.json.gz"
Content-Disposition: attachment; 
	filename="google.com!cardinalhealth.ca!1725321600!1725407999!001.json.gz"
Content-Transfer-Encoding: base64

H4sIAAAAAAAAAHWQQWvDMAyF/8rwOQom7WDNabfR+04dZQjbSQ22FGzlkIb89zlJd9koCCzL33t+
9qw49Uj+juKZgDA61aoP5j64lzOZWlXKojhISH05mlUWTALrTPwGN7o5gj6BPnxq3W51KSpH9gnV
HNrXU6mLWiplmASNgKeOC5ajDCAhQ3IDJ/HUv/dbmNpwLK77GLx9cvG3wWQ9Ybg5DHKrDRbRwMEb
77Jqv+Z9M60v2TuQaVgDEsNj0PFI9lc2geWIngrx37rkz2OMmDY/YcEAeTTG5dyNpS3r+qumGIpq
j2/Vg+nQhzG5v4BeluvyA++Q8riSAQAA

--0000000000007877ce062148fba9--
`;

/** Section 4.4 (appendix B) of RFC 8460. */
export const RFC8460 = JSON.stringify({
  "organization-name": "Company-X",
  "date-range": { "start-datetime": "2016-04-01T00:00:00Z", "end-datetime": "2016-04-01T23:59:59Z" },
  "contact-info": "sts-reporting@company-x.example",
  "report-id": "5065427c-23d3-47ca-b6e0-946ea0e8c4be",
  policies: [
    {
      policy: {
        "policy-type": "sts",
        "policy-string": ["version: STSv1", "mode: testing", "mx: *.mail.company-y.example", "max_age: 86400"],
        "policy-domain": "company-y.example",
        "mx-host": "*.mail.company-y.example",
      },
      summary: { "total-successful-session-count": 5326, "total-failure-session-count": 303 },
      "failure-details": [
        {
          "result-type": "certificate-expired",
          "sending-mta-ip": "2001:db8:abcd:0012::1",
          "receiving-mx-hostname": "mx1.mail.company-y.example",
          "failed-session-count": 100,
        },
        {
          "result-type": "starttls-not-supported",
          "sending-mta-ip": "2001:db8:abcd:0013::1",
          "receiving-mx-hostname": "mx2.mail.company-y.example",
          "receiving-ip": "203.0.113.56",
          "failed-session-count": 200,
          "additional-information":
            "https://reports.company-x.example/report_info?id=5065427c-23d3#StarttlsNotSupported",
        },
        {
          "result-type": "validation-failure",
          "sending-mta-ip": "198.51.100.62",
          "receiving-ip": "203.0.113.58",
          "receiving-mx-hostname": "mx-backup.mail.company-y.example",
          "failed-session-count": 3,
          "failure-reason-code": "X509_V_ERR_PROXY_PATH_LENGTH_EXCEEDED",
        },
      ],
    },
  ],
});

/** Mail.ru counts one failure and names two. */
export const MAIL_RU = JSON.stringify({
  "contact-info": "tls_support@corp.mail.ru",
  "date-range": { "end-datetime": "2024-02-23T00:00:00Z", "start-datetime": "2024-02-22T00:00:00Z" },
  "organization-name": "Mail.ru",
  policies: [
    {
      "failure-details": [
        {
          "failed-session-count": 1,
          "failure-reason-code": "bad https response code: 404",
          "result-type": "sts-policy-fetch-error",
        },
        {
          "failed-session-count": 1,
          "failure-reason-code": "bad https response code: 500",
          "result-type": "sts-policy-fetch-error",
        },
      ],
      policy: { "policy-domain": "example.com", "policy-type": "sts" },
      summary: { "total-failure-session-count": 1, "total-successful-session-count": 0 },
    },
  ],
  "report-id": "b28254de-7b2e-be36-bb5c-4c3b92da8b25@mail.ru",
});
