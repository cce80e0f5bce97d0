"""The film of an episode and the note of its failure, as files and by the command."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from PIL import Image

from manyhands.deploy.command_line.commands.report import choose_episode
from manyhands.evaluation.report.failures import failure_note
from manyhands.evaluation.report.film import WIDTH, draw_frames, write_mp4
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import read_tasks
from tests.deploy.command_line.called import manyhands
from tests.evaluation.judged_run import FIRST, HOSTILE, SECOND, STEPS, write_judged_run
from tests.evaluation.report.reported_run import write_reported_run


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    return write_judged_run(tmp_path / "run")


@pytest.fixture
def failed(tmp_path: Path) -> Path:
    return write_reported_run(tmp_path)


def test_a_film_has_a_frame_for_each_step_and_one_for_the_end(judged: Path, tmp_path: Path) -> None:
    film = tmp_path / "film.gif"
    done = manyhands("report", judged, "--gif", film, "--episode", "hostile")
    assert (done.returncode, done.stdout.strip()) == (0, str(film))
    with Image.open(film) as picture:
        assert (picture.size[0], picture.n_frames) == (WIDTH, STEPS + 2)  # type: ignore[attr-defined]
    assert not (judged / "report.html").exists()


def test_a_frame_shows_the_action_on_the_screen(failed: Path) -> None:
    run = RunFolder(failed)
    first, end = (frame.picture for frame in draw_frames(run, choose_episode(run, None)))
    scale = WIDTH / 108
    ring = first.getpixel((round(17 * scale) + 17, round(23 * scale)))
    assert isinstance(ring, tuple)
    assert ring[0] > 200 > 100 > ring[1]
    assert first.getpixel((WIDTH - 5, 5)) == end.getpixel((WIDTH - 5, 5)) == (200, 200, 200)


def test_a_film_without_pictures_is_drawn_all_the_same(failed: Path) -> None:
    shutil.rmtree(failed / "screens")
    run = RunFolder(failed)
    assert len(list(draw_frames(run, choose_episode(run, None)))) == 2


def test_a_film_of_hostile_texts_is_drawn(judged: Path) -> None:
    run = RunFolder(judged)
    view = choose_episode(run, FIRST)
    goal = view.started.task.model_copy(update={"goal": f"{'w' * 3000}\u202e{HOSTILE}\x1b[2J天气很好"})
    object.__setattr__(view.episode.started, "task", goal)
    assert len({frame.picture.size for frame in draw_frames(run, view)}) == 1


def test_an_mp4_needs_ffmpeg_and_says_so(judged: Path, tmp_path: Path) -> None:
    run = RunFolder(judged)
    view = choose_episode(run, SECOND)
    with pytest.raises(BadInput, match="install it, or write a GIF with --gif"):
        write_mp4(draw_frames(run, view), tmp_path / "film.mp4", ffmpeg="no-such-program")
    if shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None:
        pytest.skip("ffmpeg is missing")
    write_mp4(draw_frames(run, view), tmp_path / "film.mp4")
    asked = ["ffprobe", "-v", "error", "-show_entries", "stream=width,codec_name", "-of", "json"]
    told = subprocess.run([*asked, str(tmp_path / "film.mp4")], capture_output=True, check=True).stdout
    assert json.loads(told)["streams"] == [{"codec_name": "h264", "width": WIDTH}]


def test_a_failure_note_says_what_was_expected_and_how_to_repeat_it(failed: Path) -> None:
    done = manyhands("report", failed, "--markdown")
    note = done.stdout
    assert note.startswith("# one: its check does not hold\n\n**Goal:** Find & keep &lt;it\\>\n")
    assert "| settings.dark\\_mode is true | false |" in note
    assert "| 0 &lt;- begin here | Tap \\(17, 23\\) | B | a wrong page |" in note
    assert "- subgoal: the subgoal" in note
    written = note.split("```yaml\n")[1].split("\n```")[0]
    [task] = read_tasks(f"{written}\n")
    assert (task.id, task.goal) == ("one", "Find & keep <it>")
    assert yaml.safe_load(written)[0]["goal"] == "Find & keep <it>"


def test_texts_in_a_note_are_no_markup_and_nobody_is_mentioned(judged: Path) -> None:
    run = RunFolder(judged)
    view = choose_episode(run, FIRST)
    hostile = "![x](https://evil.example/a.png) @all #1 **b** <img src=x> | `c`\n# head"
    goal = view.started.task.model_copy(update={"goal": hostile})
    object.__setattr__(view.episode.started, "task", goal)
    line = next(line for line in failure_note(run, view).splitlines() if line.startswith("**Goal:**"))
    for markup in ("![", "](", "://", "@", "<img", " **b", " `c"):
        assert markup not in line


def test_the_episode_must_be_named_if_it_is_not_clear_which(judged: Path) -> None:
    done = manyhands("report", judged, "--markdown", "--episode", "nobody")
    assert done.returncode == 2
    assert f"no such episode or task; there are {FIRST}" in done.stderr
    assert manyhands("report", judged, "--markdown", "--episode", FIRST).returncode == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--gif", "a.gif", "--trim"),
        ("--episode", "one"),
        ("--out", "a", "--one-file", "b"),
        ("--markdown", "--out", "a"),
    ],
)
def test_options_that_do_not_fit_are_refused(failed: Path, options: tuple[str, ...]) -> None:
    assert manyhands("report", failed, *options).returncode == 2


def test_the_address_of_a_report_is_one_that_a_browser_opens(failed: Path, tmp_path: Path) -> None:
    done = manyhands("report", failed, "--one-file", tmp_path / "a b.html")
    assert done.stdout.strip() == (tmp_path / "a b.html").as_uri()


def test_what_was_written_is_told_as_json(failed: Path, tmp_path: Path) -> None:
    done = manyhands("report", failed, "--one-file", tmp_path / "a.html", "--json")
    assert json.loads(done.stdout)["report"] == str(tmp_path / "a.html")
    told = json.loads(manyhands("report", failed, "--gif", tmp_path / "a.gif", "--markdown", "--json").stdout)
    assert (told["episode"], told["gif"]) == ("one-1-a", str(tmp_path / "a.gif"))
    assert told["markdown"].startswith("# one")
