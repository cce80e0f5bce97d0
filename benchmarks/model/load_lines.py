"""Print what is measured while it is measured: a line for each load and, on a terminal, what goes on now."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console

from manyhands.benchmarks.model.figures import LoadFigures
from manyhands.benchmarks.model.questions import ClickFigures, SchemaFigures
from manyhands.benchmarks.model.report import ProfileFigures
from manyhands.protocol.utilities.terminal_text import choose_verb, count_noun


class LoadLines:
    """Print lines. While the context is open, a terminal also shows what goes on now."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("", spinner="line") if console.is_terminal else None

    def __enter__(self) -> Self:
        """Begin to show what goes on."""
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Show it no more."""
        if self._status is not None:
            self._status.stop()

    def questions(self, count: int) -> None:
        """Note that questions come first."""
        self._now(f"asking for {count} places on screens, and for answers under a schema")

    def answers(self, clicks: ClickFigures | None, schemas: SchemaFigures | None) -> None:
        """Print what the answers were."""
        if schemas is not None:
            self._console.print(f"schema obeyed: {schemas.obeyed} of {schemas.asked}")
        if clicks is not None and clicks.asked:
            space = f"; {clicks.space}" if clicks.space else ""
            self._console.print(f"clicks that hit: {clicks.fates.get('hit', 0)} of {clicks.asked}{space}")

    def profile(self, name: str) -> None:
        """Print the profile's name."""
        self._console.print(f"\nprofile {name}", style="bold")

    def begin(self, phones: int, seconds: float) -> None:
        """Note that a load begins."""
        asks = choose_verb(phones, "asks", "ask")
        self._now(f"{count_noun(phones, 'phone')} {asks}, for about {seconds:.0f} s")

    def load(self, figures: LoadFigures) -> None:
        """Print the figures of a load."""
        step = "-" if figures.step_s is None else f"{figures.step_s.p50:.1f} s"
        cached = "-" if figures.cached_share is None else f"{figures.cached_share:.0%}"
        failed = f", {figures.fates.failed} of {figures.calls} calls failed" if figures.fates.failed else ""
        share = figures.fates.valid_share
        valid = "" if share is None else f", {share:.0%} of replies valid"
        phones = count_noun(figures.phones, "phone")
        self._console.print(
            f"{phones:>11}: {figures.steps_s:.2f} steps/s ({count_noun(figures.calls, 'call')}), a step {step}, "
            f"{figures.input_tokens_s:,.0f} tokens/s in ({cached} cached), "
            f"{figures.output_tokens_s:,.0f} out{valid}{failed}",
            soft_wrap=True,
        )

    def result(self, figures: ProfileFigures) -> None:
        """Print the last line about a profile: the phones that the server carries, and why the load ended."""
        carried = figures.carried
        if carried is not None:
            most = f" (extrapolated: at most {carried.measured_phones} measured)" if carried.is_extrapolated else ""
            text = (
                f"the server carries {count_noun(carried.phones, 'phone')}{most}: {carried.steps_s:.2g} steps/s, by "
                f"{count_noun(carried.calls, 'call')}, each {carried.step_model_s:.1f} s of the model and "
                f"{carried.phone_s:g} s of the phone. The load is that of {carried.asking:.2g} phones that never pause."
            )
        else:
            text = figures.problem or figures.unsure or "nothing was measured."
        self._console.print(
            f"{figures.profile} ({figures.form}): {text} No more phones were tried: {figures.stopped}.",
            style="bold red" if figures.problem else "bold",
            soft_wrap=True,
        )

    def _now(self, text: str) -> None:
        if self._status is not None:
            self._status.update(text)
