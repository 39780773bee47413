"""Host names, origins, proxies, and requests that are too large or invalid."""

import contextlib
import http.client
import re
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import CloseCode
from websockets.sync.client import connect

from sevenbag.contest import telemetry
from sevenbag.contest.credentials import bearer_header, load_or_create_secret
from sevenbag.contest.scheduler_protocol import LINK_PATH
from sevenbag.contest.settings import ContestSettings, SiteSettings
from sevenbag.errors import InputError
from sevenbag.web.contest.api_routes import API_PATHS
from sevenbag.web.contest.app import ContestSite, local_address_for
from sevenbag.web.core.connection_limits import client_key, parse_networks
from tests.web.contest.conftest import Running
from tests.web.contest.visitor import PASSWORD

URL = "https://contest.example"
MANUAL = Path(__file__).parents[3] / "docs" / "contest.md"


@pytest.fixture(scope="module")
def behind(make_site: Callable[..., Running]) -> Running:
    """A site behind something that speaks TLS for it."""
    running = make_site(url=URL, trusted_proxies=("127.0.0.0/8",))
    running.add_team("Alpha")
    return running


def test_host_header(site: Running, behind: Running) -> None:
    port = urlsplit(site.address).port
    for name in ("127.0.0.1", "localhost", "[::1]", "192.0.2.7"):
        assert site.visitor().get("/login", Host=f"{name}:{port}").status == 200
    refused = site.visitor().get("/login", Host="rebound.example")
    assert (refused.status, "site.url" in refused.text) == (403, True)
    assert behind.visitor().get("/login", Host="contest.example").status == 200
    assert behind.visitor().get("/login", Host="rebound.example").status == 403
    # Programs prove who they are each time, and call it what they like.
    for path in API_PATHS:
        assert site.visitor().get(path, Host="contest-hall:8080").status != 403, path
    assert site.visitor().get("/ranking", Host="contest-hall:8080").status == 403
    assert behind.site.address == f"{URL}/"
    assert behind.site.local_address.startswith("http://127.0.0.1:")


def test_manual_lists_addresses_for_programs() -> None:
    section = MANUAL.read_text("utf-8").partition("**Names.**")[2].partition("\n- **")[0]
    assert set(re.findall(r"`(/[^`]+)`", section)) == API_PATHS


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": URL}, 303),
        ({"Origin": URL, "Sec-Fetch-Site": "same-origin"}, 303),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({}, 303),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://contest.example.evil.example"}, 403),
        ({"Origin": "https://contest.example:8443"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_forms_require_the_form_token(
    behind: Running, headers: dict[str, str], status: int
) -> None:
    """Also with a proxy that sets its own host name."""
    for host in ("contest.example", urlsplit(behind.address).netloc):
        visitor = behind.visitor()
        visitor.headers = {"Host": host}
        token = visitor.form_token("/login")
        fields = [("form_token", token), ("name", "Alpha"), ("password", PASSWORD)]
        assert visitor.post("/login", fields, **headers).status == status


def test_absolute_target(site: Running, behind: Running) -> None:
    """The host in an absolute target takes precedence over ``Host`` (RFC 9112, 3.2.2)."""
    port = urlsplit(site.address).port
    visitor = site.visitor()
    for prefix in (f"http://127.0.0.1:{port}", f"HTTP://localhost:{port}"):
        assert visitor.get(f"{prefix}/login?next=1").status == 200
        assert visitor.get(f"{prefix}/static/contest/site.css").status == 200
        assert visitor.get(prefix).status == 200
    assert visitor.get(f"http://127.0.0.1:{port}/login", Host="rebound.example").status == 200
    assert visitor.get("http://rebound.example/login").status == 403
    assert visitor.get("http://rebound.example/health").text == "ok\n"
    assert visitor.get(f"http://127.0.0.1:{port}/no%20page").status == 404
    # The same applies to a form.
    visitor = behind.visitor()
    token = visitor.form_token(f"{URL}/login")
    fields = [("form_token", token), ("name", "Alpha"), ("password", PASSWORD)]
    assert visitor.post(f"{URL}/login", fields, Origin="https://evil.example").status == 403
    assert visitor.post(f"{URL}/login", fields, Origin=URL).status == 303


def test_absolute_target_of_a_link(site: Running) -> None:
    parts = urlsplit(site.address)
    proof = bearer_header(load_or_create_secret(site.settings.site.secret_file))
    head = (
        f"GET http://elsewhere.example{LINK_PATH} HTTP/1.1\r\nHost: elsewhere.example\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: {proof}\r\n\r\n"
    )
    with socket.create_connection((parts.hostname, parts.port), timeout=120) as raw:
        raw.sendall(head.encode())
        assert raw.recv(65_536).startswith(b"HTTP/1.1 101 ")


@pytest.mark.parametrize("origin", [None, "https://evil.example", "null"])
def test_viewers_need_an_own_origin(site: Running, origin: str | None) -> None:
    address = site.address.replace("http", "ws", 1) + "live"
    headers = {} if origin is None else {"Origin": origin}
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(address, additional_headers=headers, proxy=None),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_size_of_messages_is_limited(site: Running) -> None:
    address = site.address.replace("http", "ws", 1).rstrip("/")
    said = "x" * 1_000_000
    ours = {"Origin": site.address.rstrip("/")}
    with connect(f"{address}/live", additional_headers=ours, proxy=None) as page:
        # The answer may be cut off.
        with contextlib.suppress(ConnectionClosed):
            page.send(said)
        with contextlib.suppress(ConnectionClosed, TimeoutError):
            while True:
                page.recv(timeout=120)
        assert page.close_code == CloseCode.MESSAGE_TOO_BIG
    proof = {"Authorization": bearer_header(load_or_create_secret(site.settings.site.secret_file))}
    with connect(address + LINK_PATH, additional_headers=proof, proxy=None) as link:
        link.send(said)
        assert "invalid first message" in str(link.recv(timeout=120))


@pytest.mark.parametrize("url", ["contest.example", "ftp://contest.example", "https://a.example/b"])
def test_invalid_site_url(site: Running, url: str) -> None:
    settings = ContestSettings(
        site=SiteSettings(url=url, secret_file=site.settings.site.secret_file)
    )
    with pytest.raises(InputError, match=r"site\.url"):
        ContestSite(site.store, site.scheduler, settings)


@pytest.mark.parametrize(
    ("listening", "reachable"),
    [
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
        ("http://0.0.0.0:8080/", "http://127.0.0.1:8080/"),
        ("http://[::]:8080/", "http://[::1]:8080/"),
        ("http://contest-hall:8080/", "http://contest-hall:8080/"),
    ],
)
def test_local_address(listening: str, reachable: str) -> None:
    assert local_address_for(listening) == reachable


def test_internal_error_is_logged_and_shown(
    make_site: Callable[..., Running],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    site = make_site()
    admin = site.admin()

    def broken() -> None:
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr(site.scheduler, "list_servers", broken)
    page = admin.get("/admin")
    assert (page.status, "went wrong on our side" in page.words) == (500, True)
    assert "deep inside" not in page.text
    assert telemetry.flush_logs()
    assert "deep inside" in capfd.readouterr().err
    monkeypatch.undo()
    assert admin.get("/admin").status == 200


def test_proxies_are_addresses() -> None:
    with pytest.raises(InputError, match=r"site\.trusted_proxies: .* got 'proxy\.example'"):
        parse_networks(["127.0.0.1", "proxy.example"])


def test_client_key() -> None:
    assert client_key("2001:db8:1:2::5") == client_key("2001:db8:1:2:ffff::1")
    assert client_key("2001:db8:1:2::5") != client_key("2001:db8:1:3::5")
    assert client_key("192.0.2.1") != client_key("192.0.2.2")
    assert client_key("") == ""


def test_forms_are_bounded(site: Running) -> None:
    visitor = site.visitor()
    token = visitor.form_token("/login")
    head = f"form_token={token}&name=".encode()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    cases = [
        (head + b"x" * (64 << 10), form, 413),
        (b"&".join([b"a=1"] * 5_000), form, 400),
        (head + b"%ff%fe", form, 400),
        (head + b"%00", form, 400),
        (head + b"\xff", form, 400),
        (head + b"x", {"Content-Type": "application/json"}, 415),
        (head + b"x", {"Content-Type": "multipart/form-data; boundary=x"}, 415),
        (head + b"x", {}, 415),
        (head + b"x" * 60_000, form, 401),
        (b"", form, 403),
    ]
    for body, headers, status in cases:
        answer = visitor.ask("POST", "/login", body, **headers)
        assert (body[-10:], answer.status) == (body[-10:], status)
        assert "Traceback" not in answer.text


def test_chunked_forms_are_limited(site: Running) -> None:
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=120)
    connection.putrequest("POST", "/login")
    connection.putheader("Content-Type", "application/x-www-form-urlencoded")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    # It may hang up before all of it has been sent.
    with contextlib.suppress(ConnectionError):
        for _ in range(64):
            connection.send(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
        connection.send(b"0\r\n\r\n")
        assert connection.getresponse().status == 413
    connection.close()
    assert site.visitor().get("/health").status == 200


@pytest.mark.parametrize(
    "request_line",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 50_000 + b"\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"BREW /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"POST /team HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET /static/%2e%2e/app.py HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
)
def test_invalid_requests_are_rejected(site: Running, request_line: bytes) -> None:
    parts = urlsplit(site.address)
    with socket.create_connection((parts.hostname, parts.port), timeout=120) as raw:
        answer = b""
        # It may hang up before all of it has been sent.
        with contextlib.suppress(OSError):
            raw.sendall(request_line)
            raw.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            while chunk := raw.recv(65_536):
                answer += chunk
    assert answer == b"" or answer.split()[1][:1] == b"4"
    assert b"Traceback" not in answer
    assert site.visitor().get("/health").status == 200


def test_only_files_of_the_folder_are_served(site: Running) -> None:
    assert site.visitor().get("/static/contest/site.css").status == 200
    for path in ("../app.py", "..%2fapp.py", "contest/..%2f..%2ffiles.py", "%2fetc/passwd", ""):
        assert site.visitor().get(f"/static/{path}").status == 404
