"""``sevenbag replay VERB FILE``: play replays back, convert them, count what was done in them.

Each verb is a module beside this one with `add_arguments(parser)` and `run(args)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from sevenbag.cli import replay_convert, replay_show, replay_stats, replay_verify

if TYPE_CHECKING:
    import argparse

    from sevenbag.cli.main import Subparsers


class _Verb(Protocol):
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


_VERBS: Final[dict[str, tuple[_Verb, str]]] = {
    "show": (replay_show, "play a replay back"),
    "convert": (replay_convert, "write a replay as fumens, JSON or a table"),
    "verify": (replay_verify, "play replays again and compare with the recorded results"),
    "stats": (replay_stats, "count what each player did in a replay"),
}


def add_parser(subparsers: Subparsers) -> None:
    """Add the group."""
    parser = subparsers.add_parser(
        "replay", help="play back a replay file, draw it, convert it, count what was done"
    )
    verbs = parser.add_subparsers(metavar="VERB", required=True, dest="replay_verb")
    for name, (module, summary) in _VERBS.items():
        module.add_arguments(verbs.add_parser(name, help=summary))


def run(args: argparse.Namespace) -> int:
    """Run the verb that was called."""
    module, _ = _VERBS[args.replay_verb]
    return module.run(args)
