"""Tests of copying and pickling errors."""

import copy
import inspect
import pickle

import pytest

from sevenbag import errors

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.SevenbagError)
]


def made(kind: type[errors.SevenbagError]) -> errors.SevenbagError:
    """Create an error with all its attributes."""
    if issubclass(kind, errors.CommandRejectedError):
        return kind("wrong password", "it is not the team's")
    if issubclass(kind, errors.BotError):
        return kind("beam", "it ended")
    if issubclass(kind, errors.FumenError | errors.PcFileError):
        return kind("EndOfData", "too short")
    if issubclass(kind, errors.ProtocolError):
        return kind("no such piece", "move.type", "suggestion")
    return kind("something is wrong")


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_can_be_copied_and_sent(kind: type[errors.SevenbagError]) -> None:
    error = made(kind)
    error.add_note("seen by a worker")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is kind
        assert str(again) == str(error)
        assert again.args == error.args
        assert vars(again) == vars(error)
