"""Networks that are tried in several threads of one process, as workers of a cluster may have."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sevenbag.pc.network import Gene, Network
from sevenbag.pc.training_trial import Trial, fitness_of, trial_queues


def test_each_thread_goes_by_its_own_network() -> None:
    trial = Trial(trial_queues(60, 4, "srs", "threads"), 4, "srs")
    # Filled cells low down, and anything but that.
    networks = [Network.default(), Network(genes=(Gene(0, 10, 1.0, True),))] * 4
    alone = [fitness_of(network, trial) for network in networks]
    assert len(set(alone)) == 2
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda network: fitness_of(network, trial), networks)) == alone
