"""Messages between game servers and the scheduler, byte for byte as earlier versions wrote them."""

import msgspec
import pytest

from sevenbag.contest import scheduler_protocol as protocol
from sevenbag.contest.game.pason_replay import PasonReplayEnd, PasonReplayHeader
from sevenbag.contest.game.state_messages import STATISTICS_TOPIC, decode_statistics

TOKEN = "00000000-0000-4000-8000-000000000001"
GAME = (
    '{"number":1,"game_name":"A","winner":1,"ending":"top out","scores":[1,2],"lines":[3,4],'
    '"pieces":[5,6],"level":2,"seconds":1.5,"verdicts":[{"done":1},{"late":2}],'
    '"last_sequence":9,"last_piece_number":8}'
)
FROM_SERVERS = (
    '{"type":"hello","name":"n","version":"1","command_address":"a","state_address":"b",'
    '"internal_address":"c","command_port":1,"state_port":2,"capacity":3,"hosting":["TOKEN"],'
    '"ended":["TOKEN"],"instance":"i"}',
    '{"type":"placed","match_token":"TOKEN"}',
    '{"type":"not placed","match_token":"TOKEN","reason":"r"}',
    '{"type":"joined","match_token":"TOKEN","seat":1}',
    '{"type":"game began","match_token":"TOKEN","number":1,"game_name":"A"}',
    f'{{"type":"game done","match_token":"TOKEN","result":{GAME},"replay":"eHl6","age":2.5,'
    '"line":"l"}',
    '{"type":"match done","match_token":"TOKEN","result":{"winner":0,"ending":"points",'
    '"games":[2,1],"points":[30,20]},"line":"l"}',
    '{"type":"pulse","matches":1,"commands":2,"draining":true}',
)
FROM_THE_SCHEDULER = (
    '{"type":"call off","match_token":"TOKEN","reason":"r","goes_on":true}',
    '{"type":"halt","match_token":"TOKEN","halted":true}',
    '{"type":"kept","match_token":"TOKEN","number":1}',
    '{"type":"not kept","match_token":"TOKEN","number":1,"reason":"r"}',
    '{"type":"match kept","match_token":"TOKEN"}',
    '{"type":"dismissed","reason":"r"}',
)
PLACE = (
    '{"type":"place","match_token":"TOKEN","match_name":"F","seats":['
    '{"team":"a","password_hash":"h","bot":""},{"team":"b","password_hash":"","bot":"random"}],'
    f'"rules":RULES,"finished":[{GAME}],"attempt":2}}'
)


@pytest.mark.parametrize("message", FROM_SERVERS)
def test_messages_of_servers(message: str) -> None:
    data = message.replace("TOKEN", TOKEN).encode()
    assert protocol.encode(protocol.decode_server_message(data)) == data


@pytest.mark.parametrize("message", FROM_THE_SCHEDULER)
def test_messages_of_the_scheduler(message: str) -> None:
    data = message.replace("TOKEN", TOKEN).encode()
    assert protocol.encode(protocol.decode_scheduler_message(data)) == data


def test_an_assignment_of_a_match() -> None:
    data = PLACE.replace("TOKEN", TOKEN).replace("RULES", "{}").encode()
    written = protocol.encode(protocol.decode_scheduler_message(data))
    expected = msgspec.json.decode(data)
    rules = msgspec.json.decode(written)["rules"]
    assert rules.keys() == {"game", "match"}
    assert msgspec.json.decode(written) == {**expected, "rules": rules}
    assert list(msgspec.json.decode(written)) == list(expected)


def test_statistics() -> None:
    assert STATISTICS_TOPIC == "/figures/"
    for data in (
        b'{"comm_type":"GameFigures","game_name":"A","timestamp":1.5,"scores":{"a":1},'
        b'"lines":{"a":2},"pieces":{"a":3},"level":4,"games":{"a":5},"points":{"a":6}}',
        b'{"comm_type":"MatchFigures","timestamp":1.5,"winner":"a","ending":"e","games":{"a":1},'
        b'"points":{"a":2}}',
    ):
        assert msgspec.json.encode(decode_statistics(data)) == data


def test_lines_of_a_replay() -> None:
    end = (
        b'{"winner":0,"ending":"top out","scores":[1,2],"lines":[3,4],"locked":[5,6],"level":1,'
        b'"boards":["a","b"],"milliseconds":7,"whole":false}'
    )
    assert msgspec.json.encode(msgspec.json.decode(end, type=PasonReplayEnd)) == end
    assert PasonReplayHeader.__struct_encode_fields__ == (
        *("format", "version", "game", "rules", "seed", "first_number", "teams", "match_name"),
        *("game_name", "number", "began"),
    )
