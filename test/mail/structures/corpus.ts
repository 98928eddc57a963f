/** Messages whose envelopes and structures Dovecot has written down (record-dovecot.ts). Lines end in LF here, in CRLF there. */
const one = (text: string) => text.replace(/^\n/, "");

export const corpus: readonly string[] = [
  "From: Ada <ada@example.org>\nTo: hello@example.com\nSubject: Plain\nDate: Thu, 26 Nov 2026 10:00:00 +0000\nMessage-ID: <1@example.org>\n\nOne\nTwo\n",
  "\nNo header at all\n",
  "Subject: no body\n\n",
  "Subject: folded\n over two\n\tlines\nFrom: a@b.example\n\nx\n",
  'From: "Lovelace, Ada" <ada@example.org>, bob@example.org (Bob B.), =?utf-8?q?J=C3=BCrgen?= <j@example.org>\nSender: s@example.org\nReply-To: r@example.org\nCc: team: x@example.org, "Y \\"Z\\"" <y@example.org>;, last@example.org\nBcc: undisclosed:;\nIn-Reply-To: <0@example.org>\n\nx\n',
  "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\nContent-Description: a page\nContent-ID: <c@example.org>\nContent-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\nContent-Language: en, de\nContent-Location: http://example.org/x\nContent-Disposition: inline; filename=page.html\n\n<p>x</p>\n<p>y</p>",
  one(`
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="b 1"

preamble
--b 1

plain
--b 1
Content-Type: text/html; charset="us-ascii"; format=flowed

<p>html</p>

--b 1--
epilogue
`),
  one(`
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain

a
--inner
Content-Type: text/html

b
--inner--

between
--outer
Content-Type: application/pdf; name="=?utf-8?q?=C3=BC.pdf?="
Content-Transfer-Encoding: base64
Content-Disposition: attachment; size=3; filename*=utf-8''%C3%BC.pdf

YWJj
--outer
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-ID: <i@example.org>

YWJjZGVm
YWJjZGVm
--outer--
`),
  one(`
Content-Type: multipart/digest; boundary=d
Content-Language: en

--d

From: inner@example.org
Subject: digest one

first
--d
Content-Type: text/plain

second
--d--
`),
  one(`
Subject: forwarded
Content-Type: multipart/mixed; boundary=f

--f

see below
--f
Content-Type: message/rfc822
Content-Disposition: attachment; filename=fwd.eml

From: Carl <carl@example.org>
To: ada@example.org
Subject: inside
Message-ID: <in@example.org>
Content-Type: multipart/mixed; boundary=g

--g
Content-Type: text/plain; charset=iso-8859-1

text
--g
Content-Type: text/x-patch; name=a.diff

-a
+b
--g--

--f--
`),
  "Content-Type: message/rfc822\n\nSubject: within\nFrom: a@b.example\n\nbody\nof it\n",
  one(`
Content-Type: multipart/report; report-type=delivery-status; boundary=r

--r

Failed.
--r
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; a@b.example
Action: failed
--r
Content-Type: text/rfc822-headers

Subject: original
--r--
`),
  "Content-Type: multipart/mixed; boundary=never\n\nno parts here\n",
  "Content-Type: multipart/mixed; boundary=q\n\n--q\n\nunfinished\n",
  'Content-Type: text/plain; charset="utf-8"; name="quo\\"ted; x"; empty=""\nContent-Disposition: ATTACHMENT\nContent-Transfer-Encoding: 8BIT\n\nx',
  "Subject: =?utf-8?b?8J+YgA==?= and more\nFrom: <only@example.org>\nTo: Ada Lovelace\nDate: nonsense\n\nx\n",
  "From: <a@b.example> (comment)\nTo: a@b.example , c@d.example\n\nx\n",
  'From: "" <empty@example.org>\nTo: (comment) <c@example.org>\nCc: a.b.c@sub.example.org (x (nested) y)\n\nx\n',
  one(`
Content-Type: multipart/signed; protocol="application/pgp-signature"; micalg=pgp-sha256; boundary="s"

--s
Content-Type: text/plain

signed
--s
Content-Type: application/pgp-signature; name=signature.asc

-----BEGIN PGP SIGNATURE-----
-----END PGP SIGNATURE-----
--s--
`),
  one(`
Content-Type: multipart/mixed; boundary=a

--a
Content-Type: message/rfc822

Content-Type: message/rfc822

Subject: two deep
Content-Type: multipart/mixed; boundary=z

--z

deep
--z--

--a
Content-Type: text/plain

after
--a--
`),
];

/** Returns a message as it is stored. */
export const toStored = (text: string): Uint8Array => new TextEncoder().encode(text.replaceAll("\n", "\r\n"));
