"""A connection that the tests of engines share."""

from collections.abc import Iterator

import pytest
from ray_nodes import Nodes

from topminer.engines.ray import Cluster, connect


@pytest.fixture(scope="module")
def cluster(two_nodes: Nodes) -> Iterator[Cluster]:
    with connect(two_nodes.address) as connected:
        yield connected
