"""Write the comparison of two runs as one self-contained HTML page. Show the screens at which a task's runs part."""

from __future__ import annotations

from manyhands.evaluation.comparison.run_difference import WORTH_TELLING, RunDifference
from manyhands.evaluation.markup import embed_pictures, page_templates
from manyhands.evaluation.run_folder import RunFolder


def to_html(found: RunDifference, before: RunFolder, after: RunFolder) -> str:
    """Return the page. ``before`` and ``after`` are the folders of the two runs."""
    changed = [task for change in WORTH_TELLING for task in found.having(change)]
    partings = [task.parting for task in changed if task.parting is not None]
    then = {parting.before.content_id for parting in partings if parting.before is not None}
    now = {parting.after.content_id for parting in partings if parting.after is not None}
    return (
        page_templates("manyhands.evaluation")
        .get_template("difference.html.jinja")
        .render(
            found=found,
            changed=changed,
            same=len(found.tasks) - len(changed),
            counts={change.replace("_", " "): len(found.having(change)) for change in WORTH_TELLING},
            pictures_before=embed_pictures(before, sorted(then)),
            pictures_after=embed_pictures(after, sorted(now)),
        )
    )
