"""A visitor of the site who speaks HTTP: as much of a browser as forms need."""

from __future__ import annotations

import http.client
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urlsplit

PASSWORD = "a password & 100% more"
"""With characters that mean something in addresses."""


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def words(self) -> str:
        """What people see of it."""
        reader = _Words()
        reader.feed(self.text)
        return " ".join(" ".join(reader.words).split())

    @property
    def location(self) -> str | None:
        return self.headers["Location"]

    @property
    def cookies(self) -> list[str]:
        return self.headers.get_all("Set-Cookie") or []


@dataclass
class Visitor:
    """As much of a browser as forms need: it keeps cookies and sends what a page's form has."""

    address: str
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=120)
        sent = {**self.headers, **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        connection.close()
        kinds = response.headers.get_all("Content-Type") or []
        assert len(kinds) <= 1
        # A media type must not repeat a parameter.
        assert all(kind.count("charset=") <= 1 for kind in kinds)
        for line in answer.cookies:
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0]
            if value and "Max-Age=0" not in line:
                self.cookies[name] = value
            else:
                self.cookies.pop(name, None)
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, None, **headers)

    def post(self, path: str, fields: list[tuple[str, str]], **headers: str) -> Answer:
        kind = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        return self.ask("POST", path, urlencode(fields).encode(), **kind)

    def send(
        self, page: str, *more: tuple[str, str], action: str | None = None, **fields: str
    ) -> Answer:
        """Fill in the form of a page and send it."""
        token = self.form_token(page)
        return self.post(action or page, [("form_token", token), *fields.items(), *more])

    def form_token(self, page: str) -> str:
        """What the forms of a page have in them."""
        text = self.get(page).text
        return text.partition('name="form_token" value="')[2].partition('"')[0]


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)
