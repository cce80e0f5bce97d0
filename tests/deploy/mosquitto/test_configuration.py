"""The folder of a broker, changed by several at once: nobody's change is lost, and what is refused changes nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from manyhands.deploy.mosquitto.configuration import LOOPBACK, BrokerFolder, BrokerListener, Listening, Program
from manyhands.protocol.errors import BadInput

PROGRAM = Program("mosquitto", "plugin.so")
LISTENING = Listening((BrokerListener(LOOPBACK, 1883),), ())


def test_who_was_let_in_by_another_process_stays(tmp_path: Path) -> None:
    one, other = BrokerFolder(tmp_path), BrokerFolder(tmp_path)
    one.add("site", "shop")
    other.add("site", "lab")
    assert set(BrokerFolder(tmp_path).clients_of("site")) == {"shop", "lab"}
    one.write(PROGRAM, LISTENING)  # as a broker does that starts
    assert set(BrokerFolder(tmp_path).clients_of("site")) == set(one.clients_of("site")) == {"shop", "lab"}
    other.remove("shop")
    one.add("cluster", "me")
    assert BrokerFolder(tmp_path).clients_of("site") == ("lab",)


def test_sites_that_are_let_in_side_by_side_are_all_there(tmp_path: Path) -> None:
    sites = [f"site-{number}" for number in range(16)]
    folders = [BrokerFolder(tmp_path) for _ in sites]
    with ThreadPoolExecutor(len(sites)) as threads:
        list(threads.map(lambda folder, site: folder.add("site", site), folders, sites))
    there = BrokerFolder(tmp_path)
    assert sorted(there.clients_of("site")) == sorted(sites)
    assert all(there.password(site) for site in sites)


@pytest.mark.parametrize("refused", ["me", "a/b"])
def test_where_one_is_refused_nobody_is_let_in(tmp_path: Path, refused: str) -> None:
    folder = BrokerFolder(tmp_path)
    with pytest.raises(BadInput):
        folder.add_all({"cluster": ["cluster", "me"], "site": ["shop", refused]})
    assert (folder.clients_of("site"), folder.clients_of("cluster")) == ((), ())
    assert not folder.access_file.exists()
    assert not (tmp_path / "credentials").exists()
