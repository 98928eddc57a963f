"""Makes messages of all shapes, charsets, encodings and addresses from a seed, and reads them by Python's email.

`made_mail.py SEED COUNT` prints one JSON line for each: the message in base64, what its writer meant, and how Python reads it. The
writer puts the bytes together itself, so no reader of mail decides what is right."""

import base64
import json
import quopri
import random
import sys
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.utils import collapse_rfc2231_value, getaddresses, parsedate_to_datetime
from urllib.parse import quote

# Labels as senders write them, and texts that the charset has. None: the label is unknown, and the bytes are UTF-8.
TEXTS = [
    ("us-ascii", "ascii", "Plain text, 50% = half."),
    ("utf-8", "utf-8", "Größe 日本語 😀"),
    ("UTF8", "utf-8", "Naïve café"),
    ("iso-8859-1", "iso-8859-1", "Straße, façade"),
    ("latin1", "iso-8859-1", "Ünïcode"),
    ("windows-1252", "windows-1252", "€ 10 – “quoted”"),
    ("iso-8859-2", "iso-8859-2", "Żółw i ślimak"),
    ("iso-8859-15", "iso-8859-15", "€ et œuvre"),
    ("koi8-r", "koi8-r", "Привет, мир"),
    ("windows-1251", "windows-1251", "Съешь ещё"),
    ("shift_jis", "shift_jis", "日本語のテスト"),
    ("euc-jp", "euc-jp", "日本語の件名"),
    ("gb2312", "gb2312", "中文测试"),
    ("gb18030", "gb18030", "中文€😀"),
    ("big5", "big5", "繁體中文"),
    ("euc-kr", "euc-kr", "한국어 시험"),
    ("iso-2022-jp", "iso-2022-jp", "日本語です"),
    ("x-unknown", None, "Größe ohne Namen"),
]

PEOPLE = [
    ("ada@example.org", [["", "ada@example.org"]]),
    ("Ada Lovelace <ada@example.org>", [["Ada Lovelace", "ada@example.org"]]),
    ('"Lovelace, Ada" <ada@example.org>', [["Lovelace, Ada", "ada@example.org"]]),
    ('"Ada \\"Count\\" L" <ada@example.org>', [['Ada "Count" L', "ada@example.org"]]),
    ("ada@example.org (Ada Lovelace)", [["Ada Lovelace", "ada@example.org"]]),
    ("Ada (the first) Lovelace <ada@example.org>", [["Ada Lovelace", "ada@example.org"]]),
    ("=?utf-8?q?M=C3=BCller=2C_J=C3=B6rg?= <j@example.org>", [["Müller, Jörg", "j@example.org"]]),
    ("=?iso-8859-1?Q?J=F6rg?= =?utf-8?B?IE3DvGxsZXI=?= <j@example.org>", [["Jörg Müller", "j@example.org"]]),
    ("=?koi8-r?B?8NLJ18XU?= <p@example.org>", [["Привет", "p@example.org"]]),
    ("Team: a@example.org, Bob <b@example.org>;", [["", "a@example.org"], ["Bob", "b@example.org"]]),
    ("undisclosed-recipients:;", []),
    ("Ada <@relay.example,@other.example:ada@example.org>", [["Ada", "ada@example.org"]]),
    ('Ada <"john doe"@example.org>', [["Ada", "john doe@example.org"]]),
    ("ada @ example . org", [["", "ada@example.org"]]),
    ("Ada.B <ada@example.org>", [["Ada.B", "ada@example.org"]]),
    ("Jörg <j@example.org>", [["Jörg", "j@example.org"]]),
]

DATES = [
    ("Fri, 21 Nov 1997 09:55:06 -0600", 880127706),
    ("21 Nov 97 09:55 GMT", 880106100),
    ("Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", 880127706),
    ("Mon, 3 Nov 2025 11:00:00 +0100 (CET)", 1762164000),
    ("Mon,  3 Nov 2025 10:00:00 Z", 1762164000),
    ("03 Nov 2025 05:00:00 EST", 1762164000),
    ("Mon, 3 Nov 2025 10:00:00", 1762164000),
]

FILES = [
    ('attachment; filename="a.pdf"', "a.pdf"),
    ("attachment; filename=a.pdf", "a.pdf"),
    ("attachment; filename*=utf-8''Gr%C3%BC%C3%9Fe.txt", "Grüße.txt"),
    ("attachment; filename*=iso-8859-1'de'Gr%FC%DFe.txt", "Grüße.txt"),
    ("attachment;\r\n filename*0*=utf-8''Gr%C3%BC%C3%9Fe%20;\r\n filename*1*=%E2%9C%93.txt", "Grüße ✓.txt"),
    ('attachment;\r\n filename*0="a very long name "; filename*1="of a file.pdf"', "a very long name of a file.pdf"),
    ("attachment;\r\n filename*0*=utf-8''Gr%C3%BC%C3%9Fe;\r\n filename*1=\" 100%25.txt\"", "Grüße 100%25.txt"),
    ('attachment; filename="=?utf-8?B?R3LDvMOfZS5wZGY=?="', "Grüße.pdf"),
    ('attachment; filename="Grüße.pdf"', "Grüße.pdf"),
]


def word(rng, label, codec, text):
    """Returns a text as an encoded-word, or as it is."""
    if codec in (None, "ascii"):
        return text if codec else "=?utf-8?B?" + base64.b64encode(text.encode()).decode() + "?="
    data = text.encode(codec)
    kind = rng.choice(["B", "Q", "raw"] if codec == "utf-8" else ["B", "Q", "b"])
    if kind == "raw":
        return text
    if kind == "Q":
        coded = "".join(chr(b) if chr(b).isalnum() and b < 128 else "_" if b == 32 else f"={b:02X}" for b in data)
        return f"=?{label}?Q?{coded}?="
    return f"=?{label}?{kind}?" + base64.b64encode(data).decode() + "?="


def body(rng, text, label, codec):
    """Returns header fields and bytes of a text part."""
    data = "\r\n".join(text).encode(codec or "utf-8") + b"\r\n"
    is_ascii = all(b < 128 for b in data)
    kind = rng.choice(["base64", "quoted-printable", "8bit"] + (["7bit", ""] if is_ascii else []))
    fields = f'; charset="{label}"' if rng.random() < 0.5 else f"; charset={label}"
    if kind == "base64":
        lines = base64.encodebytes(data).replace(b"\n", b"\r\n")
        # Some programs leave the padding off, or write white space into it.
        if rng.random() < 0.2:
            lines = lines.replace(b"\r\n", b" \r\n ")
        return fields, kind, lines
    if kind == "quoted-printable":
        return fields, kind, quopri.encodestring(data.replace(b"\r\n", b"\n")).replace(b"\n", b"\r\n")
    return fields, kind, data


def part(rng, kind, text, label, codec, extra=""):
    fields, encoding, data = body(rng, text, label, codec)
    coded = f"Content-Transfer-Encoding: {encoding}\r\n" if encoding else ""
    return f"Content-Type: text/{kind}{fields}\r\n{coded}{extra}\r\n".encode() + data


def multipart(rng, kind, parts):
    boundary = rng.choice(["b1", "=_next", "----=_Part_1.2", "a b'c"]) + str(rng.randint(1, 10**9))
    joined = b"".join(b"--" + boundary.encode() + b"\r\n" + one + b"\r\n" for one in parts)
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'.encode()
    preamble = rng.choice([b"", b"This is a message of several parts.\r\n"])
    return head + preamble + joined + b"--" + boundary.encode() + b"--" + rng.choice([b"\r\n", b"\r\n\r\nend\r\n"])


def make(rng):
    label, codec, sample = rng.choice(TEXTS)
    lines = [f"{sample} {n}" for n in range(rng.randint(1, 6))] + rng.choice([[], ["", "last = line"]])
    shape = rng.choice(["text", "html", "alternative", "related", "files", "nested", "forwarded"])
    html = ["<html><body>", *[f"<p>{line}</p>" for line in lines], "</body></html>"]
    if shape == "related":
        html[-1] = '<img src="cid:i@x"></body></html>'
    text_part = lambda: part(rng, "plain", lines, label, codec)
    html_part = lambda: part(rng, "html", html, label, codec)
    files = []

    def file_part():
        disposition, name = rng.choice(FILES)
        data = rng.randbytes(rng.randint(1, 200))
        files.append([name, base64.b64encode(data).decode()])
        coded = base64.encodebytes(data).replace(b"\n", b"\r\n")
        head = f"Content-Type: application/octet-stream\r\nContent-Disposition: {disposition}\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        return head.encode() + coded

    both = lambda: multipart(rng, "alternative", [text_part(), html_part()])
    image = b"Content-Type: image/png\r\nContent-ID: <i@x>\r\nContent-Disposition: inline\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n"
    inner = b"Subject: inner\r\n\r\ninner text"
    forwarded = b"Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=inner.eml\r\n\r\n" + inner
    if shape == "forwarded":
        files.append(["inner.eml", base64.b64encode(inner).decode()])
    content = {
        "text": text_part,
        "html": html_part,
        "alternative": both,
        "related": lambda: multipart(rng, "related", [html_part(), image]),
        "files": lambda: multipart(rng, "mixed", [text_part(), *[file_part() for _ in range(rng.randint(1, 3))]]),
        "nested": lambda: multipart(rng, "mixed", [both(), file_part()]),
        "forwarded": lambda: multipart(rng, "mixed", [text_part(), forwarded]),
    }[shape]()
    date, time = rng.choice(DATES)
    sender, author = rng.choice([one for one in PEOPLE if len(one[1]) == 1])
    fields = {"From": (sender, author)}
    for name, most in (("To", 4), ("Cc", 2), ("Cc", 1)):
        chosen = [rng.choice(PEOPLE) for _ in range(rng.randint(0, most))]
        if chosen:
            fields.setdefault(name, (rng.choice([", ", ",\r\n ", ","]).join(one[0] for one in chosen), [p for one in chosen for p in one[1]]))
    head = "".join(f"{name}: {value}\r\n" for name, (value, _) in fields.items())
    subject = " ".join(word(rng, label, codec, sample) for _ in range(rng.randint(1, 3)))
    raw = f"{head}Subject: {subject}\r\nDate: {date}\r\nMIME-Version: 1.0\r\n".encode() + content
    meant = {
        "shape": shape,
        "subject": None,
        "date": time,
        **{name.lower(): people for name, (_, people) in fields.items()},
        "text": None if shape in ("html", "related") else "\n".join(lines),
        "sample": sample,
        "files": files,
    }
    # White space between two encoded-words is none (RFC 2047 6.2).
    words = subject.split(" ") if "=?" in subject else [subject]
    meant["subject"] = subject if "=?" not in subject else "".join(
        ("" if i == 0 or (w.startswith("=?") and words[i - 1].endswith("?=")) else " ") + (sample if w.startswith("=?") else w)
        for i, w in enumerate(words)
    )
    return raw, meant


def decode(value):
    return str(make_header(decode_header(value)))


def text_of(one, data):
    label = one.get_content_charset("us-ascii")
    try:
        return data.decode({"utf8": "utf-8", "x-unknown": "utf-8"}.get(label, label), "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


def leaves_of(one):
    """Yields the parts that are no multipart. An enclosed message is one."""
    if one.get_content_maintype() == "multipart":
        for child in one.get_payload():
            yield from leaves_of(child)
    else:
        yield one


def bytes_of(one):
    return one.get_payload(0).as_bytes(policy=policy.SMTP) if one.is_multipart() else one.get_payload(decode=True)


def read(raw):
    message = message_from_bytes(raw, policy=policy.compat32)
    values = {}
    for name, value in message.raw_items():
        values.setdefault(name.lower(), " ".join(value.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split()))
    people = lambda name: [[decode(n), a] for n, a in getaddresses([values[name]]) if "@" in a]
    leaves = list(leaves_of(message))
    plain = [one for one in leaves if one.get_content_type() == "text/plain" and not one.get_filename()]
    files = [one for one in leaves if one.get_content_disposition() == "attachment"]
    name_of = lambda one: decode(collapse_rfc2231_value(one.get_filename()).encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    try:
        date = parsedate_to_datetime(values["date"]).timestamp()
    except Exception:
        date = None
    return {
        "subject": decode(values["subject"]),
        "date": date,
        **{name: people(name) for name in ("from", "to", "cc") if name in values},
        "text": text_of(plain[0], plain[0].get_payload(decode=True)) if plain else None,
        "files": [[name_of(one), base64.b64encode(bytes_of(one)).decode()] for one in files],
    }


rng = random.Random(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    raw, meant = make(rng)
    try:
        python = read(raw)
    except Exception as error:
        python = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"raw": base64.b64encode(raw).decode(), "meant": meant, "python": python}))
