"""How large an object store is, and what is refused before anything starts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy.cluster.object_store import (
    GIB,
    MIB,
    FreeMemory,
    StoreSize,
    bytes_of,
    frames_at_once,
    store_bytes,
    store_for,
)
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Size

PHONE = Size(width=1080, height=2400)
ROOMY = FreeMemory(memory=64 * GIB, shared=32 * GIB, disk=100 * GIB)


def test_sixty_four_phones_have_room_for_all_that_they_hold() -> None:
    needed = bytes_of([PHONE] * 64)
    assert needed >= 64 * frames_at_once(2) * 3 * 1080 * 2400
    store = store_for(needed, 64, ROOMY)
    # Ray begins to spill where 80 % are in use.
    assert not store.in_file
    assert needed <= 0.8 * store.size_bytes <= 1.01 * needed


@given(
    phones=st.integers(1, 1000),
    memory=st.integers(0, 256 * GIB),
    shared=st.none() | st.integers(0, 128 * GIB),
    disk=st.integers(0, 256 * GIB),
)
def test_a_store_holds_what_phones_take_and_fits_where_it_lies(
    phones: int, memory: int, shared: int | None, disk: int
) -> None:
    needed, machine = bytes_of([PHONE] * phones), FreeMemory(memory, shared, disk)
    if store_bytes(needed) > min(memory, memory if shared is None else max(shared, disk)):
        with pytest.raises(BadInput, match=f"^--phones: {phones} phones hold up to [^\n]*$"):
            store_for(needed, phones, machine)
        return
    store = store_for(needed, phones, machine)
    assert 0.8 * store.size_bytes >= needed
    assert store.size_bytes <= memory
    assert store.size_bytes <= (disk if store.in_file else memory if shared is None else shared)


def test_a_store_too_large_for_shared_memory_is_a_file_or_an_error() -> None:
    docker = FreeMemory(memory=8 * GIB, shared=64 * MIB, disk=50 * GIB)
    assert store_for(bytes_of([PHONE]), 1, docker).in_file
    with pytest.raises(BadInput, match=r"64 phones hold up to 3\.0 GiB .*--shm-size=\d+m"):
        store_for(bytes_of([PHONE] * 64), 64, FreeMemory(8 * GIB, 64 * MIB, GIB))
    with pytest.raises(BadInput, match=r"64 phones hold up to 3\.0 GiB .* 2\.0 GiB of memory free"):
        store_for(bytes_of([PHONE] * 64), 64, FreeMemory(2 * GIB, 16 * GIB, 50 * GIB))


def test_few_phones_get_the_usual_store_where_there_is_room() -> None:
    assert store_for(bytes_of([PHONE]), 1, ROOMY) == StoreSize(GIB)
    assert store_for(bytes_of([PHONE]), 1, FreeMemory(GIB, GIB, GIB)) == StoreSize(GIB // 2)


def test_what_cannot_fit_is_refused_in_one_line_before_any_phone_starts(
    tmp_path: Path, adb_server: tuple[str, int]
) -> None:
    words = ["run", "--goal", "Turn on dark mode.", "--phones", "virtual:1000", "--size", "9999x9999", "--mllm-url"]
    words += ["rehearsed", "--adb-port", str(adb_server[1]), "--out", str(tmp_path / "out"), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"].startswith("--phones: 1000 phones hold up to ")
    assert not (tmp_path / "out").exists()  # nothing was begun that could have written there
