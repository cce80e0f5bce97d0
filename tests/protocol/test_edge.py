"""Messages between gateways and those who ask them: every one survives its wire, and no damaged one does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.protocol import errors
from manyhands.protocol.base import Message
from manyhands.protocol.edge.messages import EmptyReply, ErrorInfo, ErrorReply, HelloReply, PerformRequest, PictureChunk
from manyhands.protocol.edge.topics import ParsedTopic, TopicKind, Topics, decode_serial, encode_serial, parse_topic
from manyhands.protocol.edge.wire import WIRE_NAMES, pack, unpack
from manyhands.protocol.errors import BadInput, CallError, ManyhandsError, UnknownKind, WireError, error_of
from manyhands.protocol.journals.envelope import Codec
from manyhands.protocol.journals.frames import frame
from manyhands.protocol.phones import Lease
from manyhands.protocol.screens.actions import Tap
from tests.permitted import permitted
from tests.protocol.model_strategies import model

FAMILIES = (errors.CallError, errors.PhoneError, errors.StoreError)
few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
serials = st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable())

LEASE = Lease(serial="127.0.0.1:7001", holder="run", epoch=3, expires_at=1e9)
TAP = permitted(key="e:1:1:0", action=Tap(x=1, y=2))
REQUEST = PerformRequest(client="c", number=1, expires_at=1e9, lease=LEASE, episode="e", step=1, perform=TAP)

EARLIER: dict[str, Message] = {
    "PerformOnce": REQUEST,
    "Done": EmptyReply(answers="a"),
    "Failed": ErrorReply(answers="a", why=ErrorInfo(code="lease_lost", text="gone")),
    "Welcome": HelloReply(answers="a", site="lab", version="0.1.0"),
}
"""Messages by the names that they had when their classes were called so."""


# ---------------------------------------------------------------------------- the wire
@pytest.mark.parametrize("name", sorted(WIRE_NAMES))
def test_every_message_survives(name: str) -> None:
    @few
    @given(model(WIRE_NAMES[name]), st.binary(max_size=50))
    def survives(body: Message, carried: bytes) -> None:
        packed = pack(body, 1.5, carried)
        envelope, data = unpack(packed.data)
        assert envelope.body == body
        assert type(envelope.body) is type(body)
        assert (envelope.id, envelope.sent_at, data) == (packed.id, 1.5, carried)

    survives()


def test_names_on_the_wire_are_those_of_earlier_versions() -> None:
    assert " ".join(sorted(WIRE_NAMES)) == (
        "AskSize AskState Attach Attached Capture Captured Connect Detach Done Failed Fetch Hello LabelsRead "
        "ListPhones Look PerformAndCapture PerformOnce PhoneInfo Phones PictureChunk Presence ReadLabels Recall "
        "Recalled Received Renew Renewed Reset Shown SizeTold StateTold Welcome"
    )
    assert {kind: unpack(pack(body, 1.0).data).envelope.kind for kind, body in EARLIER.items()} == dict(
        zip(EARLIER, EARLIER, strict=True)
    )


@pytest.mark.parametrize("time", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_time_is_no_message_for_clocks_are_compared_by_it(time: float) -> None:
    told = EmptyReply(answers="a")
    for body, sent_at in (
        (told, time),
        (told.model_copy(update={"heard_at": time}), 1.0),
        (REQUEST.model_copy(update={"expires_at": time}), 1.0),
    ):
        with pytest.raises(WireError):
            unpack(pack(body, sent_at).data)


@given(st.integers(0, 10_000), st.integers(0, 7), st.sampled_from([b"", b"pixels" * 40]))
def test_a_flipped_bit_anywhere_leaves_no_message(place: int, bit: int, carried: bytes) -> None:
    data = bytearray(pack(REQUEST, 1.0, carried).data)
    data[place % len(data)] ^= 1 << bit
    with pytest.raises(WireError):
        unpack(bytes(data))


@given(st.integers(0, 10_000), st.sampled_from([b"", b"pixels" * 40]))
def test_what_is_cut_off_is_no_message_nor_the_one_without_its_end(cut: int, carried: bytes) -> None:
    whole = pack(REQUEST, 1.0, carried).data
    part = whole[: cut % len(whole)]
    try:
        found = unpack(part)
    except WireError:
        return
    assert (found.envelope.body, found.data) == (REQUEST, b"")  # cut exactly where its bytes began


@given(st.binary(max_size=200), st.binary(min_size=1, max_size=20))
def test_other_bytes_are_a_typed_error(noise: bytes, behind: bytes) -> None:
    for data in (noise, frame(noise), pack(REQUEST, 1.0, b"carried").data + behind):
        with pytest.raises(WireError):
            unpack(data)


def test_a_kind_that_a_newer_version_added_is_named() -> None:
    class Later(Message):
        """Comes with a version that is not written yet."""

    newer: Codec[Message] = Codec({"Later": Later})
    with pytest.raises(UnknownKind, match="'Later'"):
        unpack(frame(newer.pack(newer.seal(Later(), 1.0))))


def test_a_chunk_costs_little_more_than_its_bytes() -> None:
    chunk = PictureChunk(picture="0" * 32, index=0, count=2)
    assert len(pack(chunk, 1.0, bytes(131_072)).data) < 131_072 + 300


# ---------------------------------------------------------------------------- topics
@given(serials)
def test_any_serial_is_one_level_of_a_topic(serial: str) -> None:
    level = encode_serial(serial)
    assert not set("/+# ") & set(level)
    assert decode_serial(level) == serial
    topics = Topics("lab-1")
    assert parse_topic(topics.phone_commands(serial)) == ParsedTopic("lab-1", TopicKind.COMMANDS, serial)
    assert parse_topic(topics.phone_state(serial)) == ParsedTopic("lab-1", TopicKind.STATE, serial)


@pytest.mark.parametrize(
    ("serial", "level"),
    [
        ("emulator-5554", "emulator-5554"),
        ("127.0.0.1:7001", "127.0.0.1:7001"),
        ("a/b", "a%2Fb"),
        ("50%+#", "50%25%2B%23"),
        ("cmd", "%63md"),
        ("re", "%72e"),
        ("frames", "%66rames"),
        ("presence", "%70resence"),
        ("state", "state"),
    ],
)
def test_serials_mostly_stand_as_they_are(serial: str, level: str) -> None:
    assert encode_serial(serial) == level
    assert decode_serial(level) == serial


def test_topics_of_a_site_lead_back_to_it() -> None:
    topics = Topics("shop_7")
    assert {topic: parse_topic(topic) for topic in (topics.commands, topics.presence)} == {
        "manyhands/v1/shop_7/cmd": ParsedTopic("shop_7", TopicKind.COMMANDS),
        "manyhands/v1/shop_7/presence": ParsedTopic("shop_7", TopicKind.PRESENCE),
    }
    assert parse_topic(topics.replies("cmd")) == ParsedTopic("shop_7", TopicKind.REPLIES, "cmd")
    assert parse_topic(topics.pictures("state")) == ParsedTopic("shop_7", TopicKind.PICTURES, "state")


@pytest.mark.parametrize("site", ["", "a b", "a/b", "+", "#", "ä", "x" * 65, "a\n"])
def test_no_site_is_called_so(site: str) -> None:
    with pytest.raises(BadInput, match="cannot name a site"):
        Topics(site)


@given(st.text(max_size=12) | st.from_regex(r"manyhands/v1/s/([a-z%0-9/+#]{0,8}|(cmd|re|frames|presence|state)){1,3}"))
def test_any_topic_is_one_of_ours_as_it_is_written_or_a_typed_error(topic: str) -> None:
    try:
        site, kind, name = parse_topic(topic)
    except WireError:
        return
    topics = Topics(site)
    match kind:
        case TopicKind.COMMANDS:
            assert topic == (topics.phone_commands(name) if name else topics.commands)
        case TopicKind.STATE:
            assert topic == topics.phone_state(name)
        case TopicKind.REPLIES:
            assert topic == topics.replies(name)
        case TopicKind.PICTURES:
            assert topic == topics.pictures(name)
        case TopicKind.PRESENCE:
            assert topic == topics.presence


# ---------------------------------------------------------------------------- errors
def kinds_of(family: type[ManyhandsError]) -> Iterator[type[ManyhandsError]]:
    yield family
    for kind in family.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield from kinds_of(kind)


@pytest.mark.parametrize("kind", [kind for family in FAMILIES for kind in kinds_of(family)])
def test_what_a_gateway_raises_crosses_as_itself(kind: type[ManyhandsError]) -> None:
    found = ErrorInfo.of(kind("what, where and what to do")).error()
    assert type(found) is kind
    assert str(found) == "what, where and what to do"


def test_an_error_that_only_the_gateway_knows_is_a_call_that_failed() -> None:
    found = error_of("too_hot", "the rack is on fire")
    assert type(found) is CallError
    assert str(found) == "the rack is on fire (too_hot)"
