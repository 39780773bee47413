"""A bot that checks whoever drives it: it plays, varies its answers, notes what comes of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import TYPE_CHECKING, Any, Final, cast

import sevenbag
from sevenbag.bots.bot import Limits
from sevenbag.bots.check.clauses import OF_FRONTENDS
from sevenbag.bots.check.finding import Check, Finding, Report
from sevenbag.bots.check.following_frontends import Follower
from sevenbag.bots.check.probes import Probe, probe
from sevenbag.bots.check.session import encode_line
from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import message_type, parse_json
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.messages import encode, find_deviations, from_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.bots.bot import Bot
    from sevenbag.protocols.json_lines import Severity

_BEFORE_INFO: Final = 0.2
_BEFORE_READY: Final = 0.2
_LATE: Final = 0.3
"""Seconds by which an answer is late, now and then."""
_MOST_FINDINGS: Final = 5
_KEPT: Final = 8
_LONGEST_KEPT: Final = 32 << 10


class FrontendCheck:
    """One conversation with one frontend.

    Attributes:
        report: what has been found so far.
    """

    def __init__(
        self,
        bot: Bot,
        say: Callable[[bytes], None],
        *,
        kept: Callable[[Report], None] = lambda _: None,
    ) -> None:
        """Say nothing yet.

        Args:
            bot: whose moves are played.
            say: sends a line with its end.
            kept: is told of the report when a game has ended, and at the end.
        """
        self.report = Report(
            "the frontend", checks=[Check(clause) for clause in OF_FRONTENDS.values()]
        )
        self._bot = bot
        self._say_line = say
        self._kept = kept
        self._checks = {check.clause.id: check for check in self.report.checks}
        self._seen: set[tuple[str, str]] = set()
        self._lines: deque[str] = deque(maxlen=_KEPT)
        self._waiting: deque[bytes | None] = deque()
        self._news = asyncio.Event()
        self._closed = False
        self._follower = Follower(self._find)
        self._probe: Probe | None = None
        self._asked = 0
        self._rules_told = False

    # --- what comes -----------------------------------------------------------------------------

    def add_line(self, line: bytes | None) -> None:
        """Take a line that has come; None for one that was too long."""
        self._waiting.append(line)
        self._news.set()

    def close(self) -> None:
        """No more will come."""
        self._closed = True
        self._news.set()

    async def run(self) -> None:
        """Play until told to quit, or until no more is said; the bot is left to the caller."""
        if await self._comes(_BEFORE_INFO):
            self._peek()
            self._find("waits-for-info", "warning", "says something before info has come")
        features = (tbp.GARBAGE,)
        name = "sevenbag check --frontend"
        self._say(tbp.TbpInfo(name, sevenbag.__version__, "sevenbag", features))
        try:
            while (line := await self._next()) is not _END:
                if not await self._told(line):
                    return
            self._find("quit", "warning", "closed the input without a quit")
        finally:
            self._end_game()
            self._follower.end()
            self._kept(self.report)

    # --- helpers --------------------------------------------------------------------------------

    async def _next(self) -> bytes | object | None:
        while not self._waiting:
            if self._closed:
                return _END
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()

    async def _comes(
        self, seconds: float, matches: Callable[[bytes | None], bool] = lambda _: True
    ) -> bool:
        """Wait up to this many seconds for a matching line; return whether one arrived."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not any(map(matches, self._waiting)) and not self._closed:
                    self._news.clear()
                    await self._news.wait()
        return any(map(matches, self._waiting))

    async def _told(self, line: object) -> bool:
        """Whether more is to come."""
        content = self._content(line)
        if content is None:
            return True
        departed = find_deviations(content)
        for departure in departed:
            what = f"{departure.path}: {departure.problem}"
            self._find("form", departure.severity, what, place=departure.clause)
        try:
            message = from_object(content)
        except ProtocolError as error:
            if not departed:
                place = f"0000-mvp, {message_type(content)}"
                self._find("form", "error", str(error), place=place)
            return True
        if message is None:
            kind = message_type(content)
            self._find("lines", "note", f"says {kind!r}, which no text has")
            return True
        return await self._answered(message, content)

    def _content(self, line: object) -> dict[str, Any] | None:
        if not isinstance(line, bytes):
            self._find("lines", "error", "wrote a line longer than 1 MiB")
            return None
        self._lines.append(_shown(line))
        if not line.strip():
            self._find("lines", "warning", "wrote a blank line; Cold Clear 2 ends at it")
            return None
        if line.endswith(b"\r"):
            self._find("lines", "note", "ends its lines as on Windows")
        content = parse_json(line)
        if not isinstance(content, dict):
            self._find("lines", "error", "wrote a line that is no JSON object")
            return None
        found = cast("dict[str, object]", content)
        if b'": ' in line or b'", "' in line:
            what = "writes JSON with blanks; bashtet does not understand it"
            self._find("lines", "note", what)
        return found

    async def _answered(self, message: tbp.TbpMessage, content: dict[str, Any]) -> bool:
        follower = self._follower
        match message:
            case tbp.TbpRules():
                await self._told_rules(message)
            case tbp.TbpStart():
                if not self._rules_told:
                    self._find("rules", "error", "says start before rules")
                if not follower.explains(message, self._probe):
                    self._end_game()
                self._judge_probe(played=False, ended=False)
                follower.started(message)
            case tbp.TbpSuggest():
                await self._suggest()
            case tbp.TbpPlay():
                self._judge_play(message)
                follower.played(message.move)
            case tbp.TbpNewPiece():
                follower.joined(message)
            case tbp.TbpGarbage():
                follower.entered(message)
            case tbp.TbpStop():
                follower.stopped()
                self._end_game()
                self._kept(self.report)
            case tbp.TbpQuit():
                return False
            case _:
                kind = content.get("type")
                self._find("lines", "note", f"says {kind!r}, which only bots say")
        return True

    async def _told_rules(self, message: tbp.TbpRules) -> None:
        if not self._rules_told and await self._comes(_BEFORE_READY):
            self._peek()
            what = "sends a message before the bot has sent ready"
            self._find("waits-for-ready", "error", what)
        self._rules_told = True
        self._follower.rules = message
        self._say(tbp.TbpReady())

    async def _suggest(self) -> None:
        position = self._follower.asked()
        if position is None:
            self._say(tbp.TbpSuggestion(()))
            return
        await self._bot.start(position)
        suggestion = await self._bot.suggest(Limits(nodes=100))
        self._probe = probe(self._asked, position, suggestion.moves)
        self._asked += 1
        if self._probe is None:
            self._say(tbp.TbpSuggestion(()))
            return
        if self._probe.late and await self._comes(_LATE, _supposes_answer):
            self._judge_patience()
        line = encode_line(self._probe.message)
        self._say_line(line)
        self._lines.append(f"< {line.decode().rstrip()}")

    def _peek(self) -> None:
        """Quote what waits already."""
        self._lines.extend(_shown(line) for line in self._waiting)

    def _judge_patience(self) -> None:
        """Report the first line that requires a prior answer."""
        line = next(line for line in self._waiting if _supposes_answer(line))
        self._lines.append(_shown(line))
        kind = message_type(parse_json(line)) if line is not None else ""
        self._find("patience", "error", f"sends {kind} before the pending suggest was answered")

    def _judge_play(self, message: tbp.TbpPlay) -> None:
        if self._probe is not None:
            for clause, severity, what in self._probe.judged(message.move):
                self._find(clause, severity, what)
        self._judge_probe(played=True, ended=False)

    def _judge_probe(self, *, played: bool, ended: bool) -> None:
        current, self._probe = self._probe, None
        if current is not None:
            self._follower.probed(current.kind, played=played or not ended)

    def _end_game(self) -> None:
        """The game has ended; if it did so at an answer that was odd, that may be why."""
        current, self._probe = self._probe, None
        if current is not None:
            self._follower.probed(current.kind, played=False)

    def _say(self, message: tbp.TbpBotMessage) -> None:
        line = encode(message)
        self._lines.append(f"< {line.decode().rstrip()}")
        self._say_line(line)

    def _find(self, clause: str, severity: Severity, what: str, *, place: str = "") -> None:
        check = self._checks[clause]
        plain_words = "".join("#" if c.isdigit() else c for c in what)
        if (clause, plain_words) in self._seen or len(check.findings) >= _MOST_FINDINGS:
            return
        self._seen.add((clause, plain_words))
        check.findings.append(Finding(check.clause, severity, what, tuple(self._lines), place))


def _supposes_answer(line: bytes | None) -> bool:
    return line is not None and message_type(parse_json(line)) in {"play", "suggest"}


def _shown(line: bytes | None) -> str:
    if line is None:
        return "> (a line longer than 1 MiB)"
    return "> " + line[:_LONGEST_KEPT].decode("utf-8", "replace").rstrip("\r\n")


_END: Final = object()
