"""HTTP client of the site that keeps cookies and submits forms."""

import http.client
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urlsplit

PASSWORD = "a password & 100% more"
"""Password with characters that have a meaning in URLs."""


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
        """Visible text of the page."""
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
    """Client that keeps cookies and sends the tokens of forms."""

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
        """Fill in and submit the form of a page."""
        token = self.form_token(page)
        return self.post(action or page, [("form_token", token), *fields.items(), *more])

    def form_token(self, page: str) -> str:
        """Return the token of the forms of a page."""
        text = self.get(page).text
        return text.partition('name="form_token" value="')[2].partition('"')[0]


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)
