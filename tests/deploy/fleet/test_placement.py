"""What a run's own Ray cannot give is said before anything waits for it."""

from __future__ import annotations

import pytest

from manyhands.deploy.cluster.shared import check_resources
from manyhands.protocol.errors import BadInput

pytestmark = pytest.mark.ray


def test_more_than_this_machine_has_is_bad_input(ray_local: str) -> None:
    check_resources("perception_cores", "CPU", 2, address=None)
    check_resources("perception_gpus", "GPU", 0, address=None)
    with pytest.raises(BadInput, match=r"perception_cores: the actors ask for 2\.5 CPU in all, this machine has 2"):
        check_resources("perception_cores", "CPU", 2.5, address=None)
    with pytest.raises(BadInput, match="perception_gpus"):
        check_resources("perception_gpus", "GPU", 100, address=None)


def test_a_cluster_may_grow(ray_local: str) -> None:
    check_resources("perception_gpus", "GPU", 100, address="auto")
