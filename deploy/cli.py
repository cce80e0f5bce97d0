"""The command ``manyhands``."""

from __future__ import annotations

import typer

from .commands import audit, demo, phones, rehearse, report, run, simulate

app = typer.Typer(
    help="Carries out batches of plain-language goals on fleets of Android phones, with open weights only.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (demo, run, phones, report, audit, simulate, rehearse):
    app.command(module.__name__.rpartition(".")[2], epilog=module.EXAMPLE)(module.command)


def main() -> None:
    app()


if __name__ == "__main__":
    main()
