"""Networks that are tried in several threads of one process, as workers of a cluster may have."""

from concurrent.futures import ThreadPoolExecutor

from sevenbag.pc.network import Network, NetworkGene
from sevenbag.pc.training import FitnessTest, draw_test_queues, measure_fitness


def test_each_thread_uses_its_own_network() -> None:
    trial = FitnessTest(draw_test_queues(60, 4, "srs", "threads"), 4, "srs")
    # Filled cells low down, and anything but that.
    networks = [Network.default(), Network(genes=(NetworkGene(0, 10, 1.0, True),))] * 4
    alone = [measure_fitness(network, trial) for network in networks]
    assert len(set(alone)) == 2
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda network: measure_fitness(network, trial), networks)) == alone
