"""Phones that are named by the address of a broker: what a run calls them, and what is refused without a secret."""

from __future__ import annotations

import pytest

from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.phones import SitePhones, behind_brokers, names_of, with_addresses
from manyhands.protocol.errors import BadInput


def test_phones_of_sites_are_called_by_site_and_serial_and_others_as_they_are() -> None:
    phones = load_settings(
        {"phones": "mqtts://hands.example/lab/*,mqtt://10.0.0.7:2883/shop/127.0.0.1:7001,R58M1"}
    ).phones
    assert names_of(phones) == ("lab/*", "shop/127.0.0.1:7001", "R58M1")
    lab, shop = behind_brokers(phones)
    assert (lab.broker.host, lab.broker.port, lab.broker.tls, lab.site) == ("hands.example", 8883, True, "lab")
    assert (shop.broker.host, shop.broker.port, shop.broker.tls, shop.site) == ("10.0.0.7", 2883, False, "shop")


@pytest.mark.parametrize("serial", ["R58M1", "127.0.0.1:7001", "odd serial/with#marks%41"])
def test_what_was_recorded_is_named_at_its_broker_again(serial: str) -> None:
    phones = ("mqtts://hands.example:9/lab/*", "R58M1")
    addressed = with_addresses((f"lab/{serial}", "R58M1", "elsewhere/x"), phones)
    assert names_of(addressed) == (f"lab/{serial}", "R58M1", "elsewhere/x")
    assert SitePhones.of(addressed[0]).broker == SitePhones.of(phones[0]).broker
    assert addressed[1:] == ("R58M1", "elsewhere/x")


@pytest.mark.parametrize(
    ("phones", "said"),
    [
        ("mqtts://hands.example", "names no phone: write mqtts://hands.example/SITE/SERIAL, or SITE/\\* for all"),
        ("mqtts://hands.example/lab", "names no phone: write mqtts://hands.example/lab/\\* for all"),
        ("mqtts://hands.example/lab/", "names no phone: write mqtts://hands.example/lab/\\* for all"),
        ("mqtts://hands.example/l.a.b/x", "names no phone: write mqtts://hands.example/SITE/SERIAL, or"),
        ("mqtts://hands.example/*/*", "names no phone: write mqtts://hands.example/SITE/SERIAL, or"),
        ("mqtts://me:secret@hands.example/lab/*", "has a user or a password in it"),
        ("mqtts://me:secret/more@hands.example/lab/*", "broker hands.example has a user or a password in it"),
        ("mqtts://me:secret#more@hands.example/lab/*", "has a user or a password in it"),
        ("mqtts:///me:secret@hands.example/lab/*", "has a user or a password in it"),
        ("mqtts://hands.example/lab/*?password=secret", "the broker hands.example has more than a path"),
        ("mqtt://hands.example:99999/lab/*", "cannot be read"),
        ("mqtts://hands..example/lab/*", "'hands..example' is no host name"),
        (
            f"mqtts://{'hands' * 13}.example/lab/*",
            "is no host name: a part between its dots is empty, has more than 63",
        ),
        ("mqtts://one.example/lab/*,mqtts://two.example/lab/*", "two brokers have a site 'lab'"),
    ],
)
def test_addresses_that_cannot_be_used_are_one_line_without_a_secret(phones: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        load_settings({"phones": phones.split(",")})
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)
