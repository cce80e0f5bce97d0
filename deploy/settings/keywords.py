"""The keywords of ``Fleet`` for editors and type checkers. Written by ``make settings``; do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from manyhands.deploy.settings.models import RehearsalOptions, RoleModel
from manyhands.deploy.settings.phones import VirtualOptions
from manyhands.protocol.phones import PhoneLimits
from manyhands.protocol.runs.episode_settings import EpisodeSettings, SpeculationSettings
from manyhands.protocol.secrets import Secret


class FleetOptions(TypedDict, total=False):
    """Settings of a fleet. What is left out comes from the environment, or has its default.

    A part with settings of its own is given as such, or as a mapping: ``episode={"schedule": "serial"}``.
    """

    phones: Sequence[str]
    emulator_flags: Sequence[str]
    boot_s: float
    phone_wait_s: float
    mllm_url: Sequence[str]
    model_wait_s: float
    model: str | None
    dialect: str | None
    api_key_env: str | None
    max_pixels: int | None
    output: str | None
    system_prompt: Path | str | None
    grammar: str
    temperature: float
    top_p: float | None
    presence_penalty: float | None
    frequency_penalty: float | None
    repetition_penalty: float | None
    top_k: int | None
    seed: int
    record_tokens: bool
    model_sessions: Literal["rllm", "areal", "agent-lightning"] | None
    model_sessions_url: str | None
    model_sessions_key_env: str | None
    max_in_flight: int
    speculation: SpeculationSettings | Mapping[str, Any]
    models: Mapping[str, RoleModel | Mapping[str, Any]]
    out: Path | str | None
    redact: Path | str | None
    encrypt_with: Sequence[str]
    name: str
    episode: EpisodeSettings | Mapping[str, Any]
    tips: Path | str | None
    shortcuts: Path | str | None
    memory: Path | str | None
    memory_tokens: int
    reward: str
    canary: int
    max_failed_tasks: int | None
    stagger_s: float
    hosts: int
    role_actors: int | None
    perception: Mapping[str, Any]
    perception_actors: int
    perception_threads: int | None
    perception_cores: float
    perception_gpus: float
    perception_labels: Mapping[str, str]
    perception_python: Path | str | None
    perception_wait_s: float
    transport: str
    adb_host: str
    adb_port: int
    state_dir: Path | str
    label_providers: Sequence[str]
    reset_provider: str | None
    reset_snapshot: str | None
    allow_shell_checks: bool
    secrets: Mapping[str, Secret | Mapping[str, Any]]
    mqtt_ca: Path | str | None
    mqtt_cert: Path | str | None
    mqtt_key: Path | str | None
    mqtt_user_env: str | None
    mqtt_password_env: str | None
    mqtt_version: Literal["5", "3.1.1"]
    phone_limits: PhoneLimits | Mapping[str, Any]
    ray_address: str | None
    node_wait_s: float
    rehearsal: RehearsalOptions | Mapping[str, Any]
    virtual: VirtualOptions | Mapping[str, Any]
    metrics_port: int | None
    metrics_host: str
    otlp_endpoint: str | None
    otlp_content: bool
