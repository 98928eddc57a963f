"""Uses a mailbox as a mail program does: logs in, sends, finds the copy in Sent, and loses access. Prints JSON.

Arguments: API URL, API key, id of the mailbox, address, IMAP port, submission port, submission port with TLS, PEM file of the authority.
"""
import imaplib
import json
import plistlib
import smtplib
import ssl
import sys
import time
import urllib.request
import xml.etree.ElementTree as ElementTree

url, key, mailbox_id, address, imap_port, smtp_port, smtps_port, authority = sys.argv[1:9]
context = ssl.create_default_context(cafile=authority)
context.check_hostname = False
path = f"/v1/mailboxes/{mailbox_id}/app-passwords"


def call(method, at, body=None, kind="application/json"):
    data = None if body is None else body.encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": kind}
    with urllib.request.urlopen(urllib.request.Request(url + at, data, headers, method=method)) as response:
        return response.read()


def imap(password):
    client = imaplib.IMAP4_SSL("127.0.0.1", int(imap_port), ssl_context=context, timeout=20)
    client.login(address, password)
    return client


def smtp(password):
    client = smtplib.SMTP("127.0.0.1", int(smtp_port), timeout=20)
    client.starttls(context=context)
    client.login(address, password)
    return client


def message(number, sender=address):
    fields = [f"From: {sender}", "To: friend@example.org", f"Subject: Number {number}", f"Message-ID: <{number}@program>"]
    return "\r\n".join([*fields, "", "Hello.", ""])


def sent(client, least):
    for _ in range(100):
        client.noop()
        count = int(client.select("Sent")[1][0])
        if count >= least:
            return count
        time.sleep(0.1)
    return count


def refusal(work):
    try:
        work()
    except (smtplib.SMTPResponseException, smtplib.SMTPSenderRefused) as error:
        return error.smtp_code
    except imaplib.IMAP4.error as error:
        return str(error)
    return None


out = {}
query = f"?emailaddress={address}"
config = ElementTree.fromstring(call("GET", f"/mail/config-v1.1.xml{query}"))
out["config"] = [[server.find("hostname").text, server.find("port").text] for server in config[0] if server.find("port") is not None]
ask = f"<Autodiscover><Request><EMailAddress>{address}</EMailAddress></Request></Autodiscover>"
found = ElementTree.fromstring(call("POST", "/Autodiscover/Autodiscover.xml", ask, "text/xml"))
out["autodiscover"] = [one.text for one in found.iter() if one.tag.endswith("}Port")]
profile = plistlib.loads(call("GET", f"/mail/profile.mobileconfig{query}"))
out["profile"] = [profile["PayloadContent"][0][f"{way}MailServerPortNumber"] for way in ("Incoming", "Outgoing")]

created = json.loads(call("POST", path, json.dumps({"name": "imaplib"})))
reader = imap(created["password"])
sender = smtp(created["password"])
sender.sendmail(address, ["friend@example.org"], message(1))
out["copies"] = sent(reader, 1)
reader.append("Sent", "(\\Seen)", None, message(1).encode())
with smtplib.SMTP_SSL("127.0.0.1", int(smtps_port), context=context, timeout=20) as tls:
    tls.login(address, created["password"])
    tls.sendmail(address, ["friend@example.org"], message(2))
out["copies after an own one"] = sent(reader, 2)
reader.select("Sent", readonly=True)
out["subjects"] = [part[1].decode().strip() for part in reader.fetch("1:*", "BODY[HEADER.FIELDS (SUBJECT)]")[1] if isinstance(part, tuple)]
out["foreign sender"] = refusal(lambda: sender.sendmail("other@example.org", ["friend@example.org"], message(3)))
out["foreign field"] = refusal(lambda: sender.sendmail(address, ["friend@example.org"], message(4, "other@example.org")))

sender.noop()
call("DELETE", f"{path}/{created['id']}")
start = time.monotonic()
out["end"] = reader.readline().decode().strip()
out["ended soon"] = time.monotonic() - start < 5
out["open connection"] = refusal(lambda: sender.sendmail(address, ["friend@example.org"], message(5)))
out["new logins"] = [refusal(lambda: smtp(created["password"])), refusal(lambda: imap(created["password"]))]
print(json.dumps(out))
