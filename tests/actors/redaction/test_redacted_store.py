"""What a run redacts is on no byte of its folder but in the task itself, and what reads the folder goes on to work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from manyhands.actors.frames import PAINT, Frame, decode_png, is_painted
from manyhands.actors.interfaces import Ref
from manyhands.actors.redaction.record_redaction import RecordRedaction
from manyhands.actors.redaction.redacted_store import MOST_UNREAD, RedactedStore
from manyhands.actors.redaction.redacted_texts import STRUCK, RedactedTexts
from manyhands.actors.redaction.redactions import Redactions, typed_texts
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionDecided, ActionSent, Perceived, Record, ScreenCaptured, StateRead
from manyhands.protocol.messages import CallTokens
from manyhands.protocol.phones import LOGCAT, PhoneLog
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import ClickText, Tap, Type
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen
from manyhands.rollouts.pictures import Pictures, read_screen
from tests.evaluation.run_records import decided, sent, span
from tests.rollouts.sketched_run import SIZE, Sketch, asked, picture_id, picture_part, pixels

EPISODE = "one-1-a"
FIELD = Box(x1=8, y1=40, x2=56, y2=56)
TOKENS = CallTokens.pack([1, 2], [3], [-1.0])


def read(number: int, text: str) -> Perceived:
    """What perception read in the field of a screen."""
    element = Element(kind="text", box=FIELD, content=text, confidence=1, columns=tuple(range(len(text))))
    screen = Screen(content_id=picture_id(number), size=SIZE, elements=(element,), keyboard="shown")
    return Perceived(step=number, span=span(number, number), screen=screen)


def records_of(sketch: Sketch, *readings: Perceived) -> list[Record]:
    """The records of an episode, with what was read right after each screen."""
    records: list[Record] = []
    for record in sketch.records():
        records.append(record)
        if isinstance(record, ScreenCaptured):
            content = record.screenshot.content_id
            records += [reading for reading in readings if reading.screen.content_id == content]
    return records


async def value_of(frame: Ref[Frame]) -> Frame:
    return frame


async def stored(folder: Path, redactions: Redactions, records: Sequence[Record]) -> tuple[Record, ...]:
    """Store an episode as its host does: a screen when it is captured, records one after another."""
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    redacted = RedactedStore(store, RecordRedaction(redactions), value_of)
    numbers = {picture_id(number): number for number in range(10)}
    for place, record in enumerate(records):
        if isinstance(record, ScreenCaptured):
            content = record.screenshot.content_id
            await redacted.put_screens([content], Frame("rgb", pixels(numbers[content])))
        await redacted.append(EPISODE, [record], place, 1)
        await redacted.append(EPISODE, [record], place, 1)  # its answer was lost
    await redacted.append_log(EPISODE, PhoneLog(text="I App: password is swordfish\n"))
    scan = await redacted.read(EPISODE, 1)
    await store.stop()
    assert len({(one.seq, one.epoch) for one in scan.envelopes}) == len(records) == len(scan.records)
    return scan.records


def screen(folder: Path, number: int) -> Any:
    png = (folder / "screens" / f"{picture_id(number)}.png").read_bytes()
    rgb = decode_png(png)
    assert is_painted(png) == bool((rgb != pixels(number)).any())
    return rgb


async def test_typed_texts_are_struck_and_their_field_painted(tmp_path: Path) -> None:
    sketch = Sketch(EPISODE, goal="Type swordfish", actions=[Type(text="swordfish"), Tap(x=1, y=1)], tokens=TOKENS)
    question = asked(Role.DECIDE, "It says swordfish", picture_part(picture_id(1)), reply='{"text": "SwordFish"}')
    late = decided(1, span(1, 2), question, action=Tap(x=1, y=1))
    state = StateRead(at=1, states={"state": {"name": "swordfish", "swordfish": [1, "a swordfish."]}})
    records = [*records_of(sketch, read(0, "Password"), read(1, "swordfish"), read(2, "swordfi5h!"))]
    records[-1:-1] = [late, state]
    redacted = await stored(tmp_path, Redactions(), records)
    assert redacted[0] == records[0]  # a run is resumed by its task
    told = "".join(record.model_dump_json() for record in redacted[1:])
    assert not RedactedTexts(["swordfish"]).spans(told)
    assert redacted[-2] == StateRead(at=1, states={"state": {"name": STRUCK, STRUCK: [1, f"a {STRUCK}."]}})
    (sent, _) = [record for record in redacted if isinstance(record, ActionSent)]
    assert sent.action == Type(text=STRUCK)
    assert '"tokens":{' not in told
    assert picture_part(picture_id(1)) in redacted[-3].calls[0].request["messages"][1]["content"]  # type: ignore[union-attr]
    assert (screen(tmp_path, 0) == pixels(0)).all()
    for number in (1, 2):
        rgb = screen(tmp_path, number)
        assert (rgb[FIELD.y1 : FIELD.y2, FIELD.x1 : FIELD.x2] == PAINT).all()
        assert (rgb[:30] == pixels(number)[:30]).all()
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name not in ("journal.mh", "start.mh"):
            assert b"swordfish" not in path.read_bytes(), path
    assert STRUCK in (tmp_path / "episodes" / EPISODE / LOGCAT).read_text()


async def test_a_painted_screen_can_be_shown_again(tmp_path: Path) -> None:
    await stored(tmp_path, Redactions(texts=("Anna",)), records_of(Sketch(EPISODE), read(0, "Anna"), read(1, "Bob")))
    (tmp_path / "run.yaml").write_text("tasks: []")
    run = RunFolder(tmp_path)
    assert (read_screen(run, picture_id(0)) == screen(tmp_path, 0)).all()
    assert Pictures(run).jpeg(picture_id(0)).startswith(b"\xff\xd8")


async def test_a_screen_waits_until_it_was_read_or_nobody_reads_it(tmp_path: Path) -> None:
    steps = MOST_UNREAD + 2
    records = records_of(Sketch(EPISODE, steps=steps), read(1, "nothing"))
    ended = records.pop()
    store = RunStore(StoreSettings(folder=tmp_path))
    await store.start()
    redacted = RedactedStore(store, RecordRedaction(Redactions(texts=("Anna",))), value_of)
    paths = [tmp_path / "screens" / f"{picture_id(number)}.png" for number in range(steps + 1)]
    for number in range(MOST_UNREAD):
        await redacted.put_screens([paths[number].stem], Frame("rgb", pixels(number)))
    assert not any(path.exists() for path in paths)
    await redacted.append(EPISODE, records, 0, 1)
    for number in range(MOST_UNREAD, steps + 1):
        await redacted.put_screens([paths[number].stem], Frame("rgb", pixels(number)))
    assert [path.exists() for path in paths] == [True, True, True] + [False] * MOST_UNREAD
    await redacted.append(EPISODE, [ended], len(records), 1)
    await store.stop()
    assert (screen(tmp_path, 1) == pixels(1)).all()
    for number in (0, *range(2, steps + 1)):
        assert (screen(tmp_path, number) == PAINT).all()  # "Anna" may stand anywhere


async def test_apps_and_regions_are_painted_and_what_they_say_is_struck(tmp_path: Path) -> None:
    region = {"app": "com.mail", "box": [0, 400, 1000, 600]}
    redactions = Redactions.model_validate({"typed": False, "regions": [region], "apps": ["com.bank"]})
    sketch = Sketch(EPISODE, apps=["com.mail", "com.bank", "com.other"])
    records = records_of(sketch, read(0, "To Anna"), read(1, "Balance 1,234.56"), read(2, "To Anna has 1,234.56"))
    redacted = await stored(tmp_path, redactions, records)
    assert (screen(tmp_path, 0)[39:57] == PAINT).all()
    assert (screen(tmp_path, 0)[:38] == pixels(0)[:38]).all()
    assert (screen(tmp_path, 1) == PAINT).all()
    assert (screen(tmp_path, 2) == pixels(2)).all()  # another app
    contents = [one.screen.elements[0].content for one in redacted if isinstance(one, Perceived)]
    assert contents == [STRUCK, STRUCK, f"{STRUCK} has {STRUCK}"]


async def test_names_for_programs_stay(tmp_path: Path) -> None:
    """A text that is also the name of a part of a request, of a stage or of a kind leaves them readable."""
    names = ("user", "text", "vision", "perceive", "Tap", "DecideReply", "com.mail", EPISODE, picture_id(1)[:6])
    sketch = Sketch(EPISODE, apps=["com.mail"] * 3)
    question = asked(Role.DECIDE, "user", picture_part(picture_id(1)), reply="text")
    records = [*records_of(sketch, read(0, "user")), decided(1, span(1, 2), question)]
    redacted = await stored(tmp_path, Redactions(texts=names), records)
    assert [type(record) for record in redacted] == [type(record) for record in records]
    (call,) = redacted[-1].calls  # type: ignore[union-attr]
    assert call.reply == STRUCK
    assert [turn["role"] for turn in call.request["messages"]] == ["system", "user"]
    assert call.request["messages"][1]["content"][1] == picture_part(picture_id(1))


def test_nothing_is_lost_where_nothing_is_named() -> None:
    records = records_of(Sketch(EPISODE), read(0, "Anna"))
    assert RecordRedaction(Redactions(typed=False)).strike(records) == records
    assert RecordRedaction(Redactions(typed=False)).boxes(picture_id(0)) == ()


@settings(max_examples=40, deadline=None)
@given(st.text(min_size=4, max_size=30).filter(lambda text: any(map(str.isalnum, text))), st.data())
def test_no_record_holds_a_typed_text(text: str, data: st.DataObject) -> None:
    assume(typed_texts([sent(0, "key", action=Type(text=text))]))
    around = data.draw(st.text(max_size=5))
    sketch = Sketch(EPISODE, actions=[Type(text=text)], fields={"answer": f"{around}{text}", "reason": text})
    question = asked(Role.DECIDE, f"{around}{text}", reply=f'{{"text": "{text}"}}')
    records = [*records_of(sketch, read(1, text), read(2, around)), decided(1, span(1, 2), question)]
    redacted = RecordRedaction(Redactions()).strike(records)
    for record in redacted[1:]:
        for value in words(record.model_dump(mode="python")):
            assert not RedactedTexts([text]).spans(value) or value in names(record), value


def words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [word for one in value.values() for word in words(one)]
    return (
        [word for one in value for word in words(one)]
        if isinstance(value, list | tuple)
        else [value] * (type(value) is str)
    )


def names(record: Record) -> list[str]:
    """The words of a record of an episode in which nothing was said."""
    return [word for one in Sketch(EPISODE).records() for word in words(one.model_dump())]


def test_words_that_programs_read_by_stay() -> None:
    """A typed word may be a key of a request, and shorter than what replaces it."""
    sketch = Sketch(EPISODE, goal="Type", actions=[Type(text="messages"), Tap(x=1, y=1)])
    redaction = RecordRedaction(Redactions(texts=("ab",)))
    redaction.strike(sketch.records())
    question = asked(Role.DECIDE, "It says messages", picture_part(picture_id(1)), reply='{"text": "messages"}')
    (late,) = redaction.strike([decided(1, span(1, 2), question, action=ClickText(text=f"{'x' * 197} ab"))])
    assert isinstance(late, ActionDecided)
    assert "messages" in late.calls[0].request
    assert "says messages" not in late.model_dump_json()
    assert ActionDecided.model_validate_json(late.model_dump_json()) == late
    (state,) = redaction.strike([StateRead(at=1, states={"state": {"messages": "messages"}})])
    assert "messages" not in state.model_dump_json()
