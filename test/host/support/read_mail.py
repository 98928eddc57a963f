"""Writes or reads messages for the comparison with the parser of received mail.

`read_mail.py` reads blocks, each a message preceded by its length in 4 bytes, and prints one JSON line with the subject, the
addresses and the number of parts of each. `read_mail.py write SEED COUNT` prints messages made by Python's email, in base64."""

import base64
import json
import random
import sys
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.headerregistry import Address
from email.message import EmailMessage
from email.mime.image import MIMEImage
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import getaddresses, make_msgid


def leaves(message):
    """Counts the parts that are not a multipart. An enclosed message is one part."""
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        return sum(leaves(child) for child in message.get_payload())
    return 1


def decode(value):
    try:
        return str(make_header(decode_header(value)))
    except Exception:
        return value


def read(data):
    message = message_from_bytes(data, policy=policy.compat32)
    raws = {}
    for name, value in message.raw_items():
        # Bytes beyond ASCII are UTF-8 (RFC 6532), else windows-1252.
        raw = value.encode("utf-8", "surrogateescape")
        try:
            raws.setdefault(name.lower(), raw.decode("utf-8"))
        except UnicodeDecodeError:
            raws.setdefault(name.lower(), raw.decode("windows-1252", "replace"))
    unfolded = {name: " ".join(value.split()) for name, value in raws.items()}
    addresses = lambda name: [a.lower() for _, a in getaddresses([unfolded.get(name, "")]) if "@" in a]
    return {
        "subject": decode(unfolded.get("subject", "")),
        "from": addresses("from")[:1],
        "to": addresses("to"),
        "cc": addresses("cc"),
        "parts": leaves(message),
    }


WORDS = ["Hello", "Größe", "日本語", "Invoice #12", "Ünïcode", "a" * 90, "😀", "Re: [list] x", "=?x", "50% off", "naïve café"]
NAMES = ["Ada Lovelace", "Müller, Jörg", "O'Neil \"The\" X", "山田太郎", "a.b", "", "Very " * 12 + "Long"]


def write(rng, number):
    pick = rng.choice
    subject = " ".join(pick(WORDS) for _ in range(rng.randint(1, 6)))
    people = lambda n: tuple(Address(pick(NAMES), f"user{rng.randint(1, 99)}", "example.org") for _ in range(n))
    if rng.random() < 0.25:
        message = MIMEMultipart(pick(["mixed", "alternative", "related"]))
        message["Subject"] = subject
        message["From"] = "ada@example.org"
        message["To"] = ", ".join(f"u{n}@example.org" for n in range(rng.randint(1, 5)))
        for _ in range(rng.randint(1, 4)):
            message.attach(MIMEText(subject * 3, pick(["plain", "html"]), pick(["utf-8", "utf-8"])))
        if rng.random() < 0.5:
            message.attach(MIMEImage(rng.randbytes(500), "png"))
        if rng.random() < 0.3:
            message.attach(MIMEMessage(MIMEText("enclosed")))
        return message.as_bytes(policy=policy.compat32.clone(linesep=pick(["\r\n", "\n"])))
    message = EmailMessage(policy=pick([policy.SMTP, policy.default]))
    message["Subject"] = subject
    message["From"] = people(1)
    message["To"] = people(rng.randint(1, 4))
    if rng.random() < 0.4:
        message["Cc"] = people(rng.randint(1, 3))
    message["Message-ID"] = make_msgid(domain="example.org")
    message.set_content(subject + "\n" + "line\n" * rng.randint(0, 50), cte=pick(["base64", "quoted-printable", "8bit"]))
    if rng.random() < 0.5:
        message.add_alternative(f"<p>{subject}</p>", subtype="html")
    for n in range(rng.randint(0, 3)):
        message.add_attachment(rng.randbytes(300), maintype="application", subtype="pdf", filename=pick(["a.pdf", "résumé.pdf", "日.pdf"]))
    return message.as_bytes()


if sys.argv[1:2] == ["write"]:
    rng = random.Random(int(sys.argv[2]))
    for number in range(int(sys.argv[3])):
        try:
            print(base64.b64encode(write(rng, number)).decode())
        except Exception:
            # Some combinations are refused by Python itself.
            print("")
    sys.exit()

while True:
    size = sys.stdin.buffer.read(4)
    if len(size) < 4:
        break
    data = sys.stdin.buffer.read(int.from_bytes(size, "big"))
    try:
        print(json.dumps(read(data)))
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
