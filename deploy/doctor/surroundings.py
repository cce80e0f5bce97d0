"""Find what no setting names: phones behind a running adb server, and a model server at the usual address."""

from __future__ import annotations

from manyhands.actors.mllm import ModelSettings, served_model
from manyhands.deploy.doctor.phones import open_examiner
from manyhands.deploy.fleet.model_servers.model_dialects import family_dialect
from manyhands.deploy.fleet.phones.transports import transport_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.deploy.settings.starter_files import FoundPhone, FoundServer
from manyhands.protocol.errors import BadInput, ModelUnreachable, PhoneError

USUAL_SERVER = "http://127.0.0.1:8000/v1"
"""Where ``manyhands mllm`` and vLLM serve by default."""


async def find_phones(settings: FleetSettings) -> list[FoundPhone]:
    """Return the phones that adb lists; none if no adb server runs. Nothing is started, and nothing is typed."""
    if not (await transport_of(settings).status()).running:
        return []
    try:
        async with open_examiner(settings, touches=False) as examiner:
            reports = await examiner.examine(await examiner.listed())
    except (BadInput, PhoneError):
        return []
    phones = []
    for report in reports:
        facts = report.facts
        android = f", Android {facts.release}" if facts is not None and facts.release else ""
        what = (report.info.model or "a phone").replace("_", " ") + android
        phones.append(FoundPhone(report.info.serial, what, report.why_not))
    return phones


async def find_server(settings: FleetSettings) -> FoundServer | None:
    """Return the server that the settings name, or the one at the usual address; None if none answers there.

    Return None, too, if the settings name only the rehearsed model. Raises BadInput if a named server does not answer.
    """
    named = [url for url in settings.mllm_url if url != REHEARSED]
    url = named[0] if named else USUAL_SERVER
    if not named and settings.mllm_url:
        return None
    try:
        model_settings = ModelSettings(urls=(url,), model=settings.model, api_key_env=settings.api_key_env)
        served = await served_model(model_settings)
    except (BadInput, ModelUnreachable) as error:
        if named:
            raise BadInput(f"--mllm-url: {error}") from error
        return None
    family = family_dialect(served)
    return FoundServer(url, served.name, settings.dialect or (family.name if family is not None else None))
