"""The doctor on brokers that cannot be used; tests/mqtt/test_doctor.py has a real one."""

from __future__ import annotations

from manyhands.deploy.doctor.examination import examine_brokers
from manyhands.deploy.settings.loading import load_settings


async def test_no_broker_is_named() -> None:
    assert await examine_brokers(load_settings({})) == []


async def test_a_broker_that_is_not_there(unused_tcp_port: int) -> None:
    named = [f"mqtt://127.0.0.1:{unused_tcp_port}/lab/*"]
    (one,) = await examine_brokers(load_settings({"phones": named}))
    assert (one.about, one.status) == (f"broker mqtt://127.0.0.1:{unused_tcp_port}", "failure")
    assert str(unused_tcp_port) in one.found
    assert one.mend == "start it on its machine: manyhands broker"
