"""Plan how many servers of how many GPUs fit: weights, workspace and KV cache against a GPU's memory.

Weights and KV cache are as exact as the profile. The workspace is an estimate that is rather too large (vLLM measures
it at its start). No figure here was measured on a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from manyhands.deploy.serving.catalogue import BILLION, LISTED, ModelProfile, profile_named
from manyhands.deploy.serving.hardware import GIB, Hardware
from manyhands.protocol.errors import BadInput

UTILISATION = 0.90
"""Share of a GPU that vLLM may take. vLLM's default is 0.92; the rest is for other programs on the GPU."""
USUAL_PIXELS = 1_048_576
"""Pixels that are enough to read a phone's screenshot: 987 tokens for 1080x2400 (docs/serving.md)."""
LEAST_REQUESTS = 2
"""How many requests of full length must fit at a time. Their room is enough for about four requests of usual length."""
MEAN_REQUEST = 0.25
"""The mean length of a request and its reply, as a share of the full length: about 4,100 of 16,384 tokens with profile
``e``, 4,300 with ``native`` (docs/serving.md). What requests share of their beginnings is counted for each of them."""
MOST_SEQUENCES = 256
MOST_SEQUENCES_CPU = 32
TEXT_TOKENS = 10240
REPLY_TOKENS = 2048
THINKING_TOKENS = 8192
_CONTEXT_STEP = 4096
_TENSOR_PARALLEL = (1, 2, 4, 8)
_FP8_BLOCK = 128
_PATCHES = 4
"""How many patches of a picture make a token."""


KvCache = Literal["auto", "fp8"]
"""How keys and values are kept: in the model's 16 bits, or in 8 bits."""


Draft = Literal["none", "ngram", "mtp"]
"""What proposes tokens ahead, for the model to check several at once: words of the prompt, or the model's own heads."""


@dataclass(frozen=True, slots=True)
class MemoryRequirements:
    """Hold what each server must be able to do. Pixels are those of one picture; ``context`` is in tokens."""

    max_images: int
    max_pixels: int
    context: int | None = None
    tensor_parallel: int | None = None
    servers: int | None = None
    kv_cache: KvCache = "auto"
    draft: Draft = "none"


@dataclass(frozen=True, slots=True)
class Budget:
    """Divide one GPU's memory, in bytes, if ``tensor_parallel`` GPUs share the model."""

    usable: int
    weights: int
    workspace: int
    kv_per_token: int
    state: int
    """Recurrent state of one request."""

    @property
    def cache(self) -> int:
        """Return what is left for the KV cache; negative if the weights and the workspace do not fit."""
        return self.usable - self.weights - self.workspace

    def requests(self, tokens: int) -> int:
        """Return how many requests of this length fit into the cache at a time."""
        return max(0, self.cache // (tokens * self.kv_per_token + self.state))


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Assign a model to the hardware."""

    profile: ModelProfile
    needs: MemoryRequirements
    hardware: Hardware
    servers: int
    tensor_parallel: int
    context: int
    batched_tokens: int
    budget: Budget

    @property
    def requests(self) -> int:
        """Return how many requests of full length fit into one server's cache at a time."""
        return self.budget.requests(self.context)

    @property
    def sequences(self) -> int:
        """Return ``--max-num-seqs``: how many requests of mean length fit into one server's cache at a time."""
        most = MOST_SEQUENCES if self.hardware.gpus else MOST_SEQUENCES_CPU
        return min(most, max(8, self.budget.requests(math.ceil(self.context * MEAN_REQUEST))))

    @property
    def unused_gpus(self) -> int:
        """Return how many GPUs no server uses."""
        return self.hardware.gpus - self.servers * self.tensor_parallel if self.hardware.gpus else 0


def plan_for(profile: ModelProfile, hardware: Hardware, needs: MemoryRequirements) -> MemoryPlan:
    """Plan one server per GPU if the model fits on one, else the smallest tensor-parallel groups.

    Raises BadInput with what is missing, in GiB, and what would fit.
    """
    _check_pixels(profile, needs)
    _check_draft(profile, hardware, needs)
    context = _context(profile, needs)
    if hardware.gpus == 0:
        return _plan_for_cpu(profile, hardware, needs, context)
    batched = _batched_tokens(hardware.memory, needs, profile)
    sizes = (needs.tensor_parallel,) if needs.tensor_parallel else _TENSOR_PARALLEL
    for size in sizes:
        if size > hardware.gpus or not _can_split(profile, size):
            continue
        budget = _budget(profile, hardware.memory, needs, size, batched)
        if budget.requests(context) >= LEAST_REQUESTS:
            most = hardware.gpus // size
            if (needs.servers or 0) > most:
                raise BadInput(f"--servers {needs.servers}: {hardware.gpus} GPUs hold {most} servers of {size}")
            return MemoryPlan(profile, needs, hardware, needs.servers or most, size, context, batched, budget)
    raise BadInput(_refusal(profile, hardware, needs, context, batched))


def _check_pixels(profile: ModelProfile, needs: MemoryRequirements) -> None:
    """Raise BadInput if pictures are larger than the model's processor allows."""
    most = profile.family.max_pixels
    if needs.max_pixels > most:
        raise BadInput(
            f"--max-pixels {needs.max_pixels}: more than a picture for {profile.family.name} ever has, {most}; "
            f"a phone's screenshot needs no more than {USUAL_PIXELS}"
        )


def _check_draft(profile: ModelProfile, hardware: Hardware, needs: MemoryRequirements) -> None:
    """Raise BadInput for drafting that the model or the hardware cannot do."""
    if needs.draft == "mtp" and not profile.family.has_mtp:
        raise BadInput(
            f"--draft mtp: {profile.family.name} has no heads that predict further tokens; try --draft ngram"
        )
    if needs.draft != "none" and not hardware.gpus:
        raise BadInput(f"--draft {needs.draft} needs GPUs")


def _context(profile: ModelProfile, needs: MemoryRequirements) -> int:
    """Return the given context length, or else pictures, text and reply, rounded up."""
    pictures = needs.max_images * profile.image_tokens(needs.max_pixels)
    if needs.context is not None:
        if needs.context > profile.max_positions:
            raise BadInput(f"--max-model-len {needs.context}: the model was trained for {profile.max_positions}")
        if needs.context <= pictures:
            raise BadInput(f"--max-model-len {needs.context}: {needs.max_images} pictures alone are {pictures} tokens")
        return needs.context
    tokens = pictures + TEXT_TOKENS + REPLY_TOKENS + (THINKING_TOKENS if profile.thinking else 0)
    return min(profile.max_positions, -(-tokens // _CONTEXT_STEP) * _CONTEXT_STEP)


def _batched_tokens(memory: int, needs: MemoryRequirements, profile: ModelProfile) -> int:
    """Return ``--max-num-batched-tokens``, also the size of the encoder cache: 16 pictures on a big GPU."""
    roomy = 16384 if memory >= 60 * GIB else 8192 if memory >= 20 * GIB else 4096
    return max(roomy, profile.image_tokens(needs.max_pixels))


def _can_split(profile: ModelProfile, size: int) -> bool:
    shape = profile.shape
    if size not in _TENSOR_PARALLEL or shape.heads % size:
        return False
    # FP8 checkpoints scale blocks of 128, so a share of an expert must be whole blocks (235B-A22B: at most 4 shares).
    blocks = profile.precision == "fp8" and shape.expert_width
    return not blocks or blocks % (size * _FP8_BLOCK) == 0


def _budget(profile: ModelProfile, memory: int, needs: MemoryRequirements, size: int, batched: int) -> Budget:
    shape = profile.shape
    fixed = 3 * GIB // 2 + (GIB // 2 if size > 1 else 0)  # CUDA context, CUDA graphs; NCCL's buffers
    text = batched * shape.hidden * 2 * 20
    vision = batched * _PATCHES * profile.family.vision_width * 2 * 12
    logits = MOST_SEQUENCES * shape.vocabulary * 4 * 2
    # Vision encoders run data parallel: each GPU has a whole encoder.
    encoder = round(profile.family.vision_parameters * 2 * BILLION) * (size - 1) // size
    return Budget(
        usable=int(memory * UTILISATION),
        weights=profile.weight_bytes // size + encoder,
        workspace=fixed + text + vision + logits,
        kv_per_token=profile.kv_bytes_per_token(size) // (2 if needs.kv_cache == "fp8" else 1),
        state=shape.state_bytes // size,
    )


def _plan_for_cpu(profile: ModelProfile, hardware: Hardware, needs: MemoryRequirements, context: int) -> MemoryPlan:
    if profile.precision != "bf16":
        raise BadInput(
            f"--gpus 0: {profile.model} is quantised ({profile.precision}); the CPU serves unquantised models"
        )
    if needs.tensor_parallel not in (None, 1):
        raise BadInput("--tensor-parallel needs GPUs")
    if needs.kv_cache != "auto":
        raise BadInput(f"--kv-cache {needs.kv_cache} needs GPUs")
    servers, budget = needs.servers or 1, _cpu_budget(profile, context)
    if servers * budget.usable > hardware.memory:
        fits = "; ".join(_alternatives(profile, hardware, needs)) or "a machine with more memory"
        raise BadInput(
            f"{profile.model} does not fit: {servers} x {gib(budget.usable)} GiB (weights {gib(budget.weights)}, "
            f"process {gib(budget.workspace)}, KV cache {gib(budget.cache)}) of {gib(hardware.memory)} GiB that are "
            f"free. What would fit: {fits}"
        )
    batched = max(4096, profile.image_tokens(needs.max_pixels))
    return MemoryPlan(profile, needs, hardware, servers, 1, context, batched, budget)


def _cpu_budget(profile: ModelProfile, context: int) -> Budget:
    """Return what one server needs of the machine's memory, with the least KV cache."""
    # float32 takes twice the bytes of 16-bit weights; the same holds for keys and values.
    kv_per_token = 2 * profile.kv_bytes_per_token()
    state = profile.shape.state_bytes
    cache = max(GIB, -(-LEAST_REQUESTS * (context * kv_per_token + state) // GIB) * GIB)
    weights, workspace = 2 * profile.weight_bytes, 3 * GIB
    return Budget(weights + workspace + cache, weights, workspace, kv_per_token, state)


def _refusal(profile: ModelProfile, hardware: Hardware, needs: MemoryRequirements, context: int, batched: int) -> str:
    possible = [size for size in _TENSOR_PARALLEL if size <= hardware.gpus and _can_split(profile, size)]
    size = needs.tensor_parallel or max(possible, default=1)
    if size > hardware.gpus or not _can_split(profile, size):
        return f"--tensor-parallel {size}: {profile.model} cannot be split so on {hardware.gpus} GPUs"
    budget = _budget(profile, hardware.memory, needs, size, batched)
    each = context * budget.kv_per_token + budget.state
    over = f"{hardware.gpus} GPUs" if hardware.gpus > 1 else "1 GPU"
    if budget.cache <= 0:
        excess = f"together {gib(-budget.cache)} GiB too much"
    else:
        excess = (
            f"which leaves {gib(budget.cache)} GiB for the KV cache: {budget.requests(context)} requests of {context} "
            f"tokens ({gib(each)} GiB each), {LEAST_REQUESTS} are wanted"
        )
    fits = "; ".join(_alternatives(profile, hardware, needs)) or "a GPU with more memory"
    return (
        f"{profile.model} does not fit on {over} of {gib(hardware.memory)} GiB: of {gib(budget.usable)} GiB usable, "
        f"each GPU's weights take {gib(budget.weights)}, the workspace {gib(budget.workspace)} (estimated), {excess}. "
        f"What would fit: {fits}"
    )


def _alternatives(profile: ModelProfile, hardware: Hardware, needs: MemoryRequirements) -> Iterator[str]:
    """Yield what would fit: smaller pictures, more GPUs, or the largest model with fewer bytes.

    If no model of the family fits, it is one of another family.
    """
    if needs.max_pixels > USUAL_PIXELS and _fits(profile, hardware, replace(needs, max_pixels=USUAL_PIXELS)):
        yield f"--max-pixels {USUAL_PIXELS}, which is enough for a phone's screenshot"
    for count in (2, 4, 8) if hardware.gpus else ():
        if count > hardware.gpus and _fits(profile, Hardware(count, hardware.memory), needs):
            yield f"the same model on {count} such GPUs"
            break
    smaller = [other for other in map(profile_named, LISTED) if other.weight_bytes < profile.weight_bytes]
    fitting = [other for other in smaller if _fits(other, hardware, needs)]
    fitting = [other for other in fitting if other.family.name == profile.family.name] or fitting
    if fitting:
        best = max(fitting, key=lambda other: (other.shape.parameters, -other.weight_bytes))
        yield f"{best.model} ({gib(best.weight_bytes)} GiB of weights)"


def _fits(profile: ModelProfile, hardware: Hardware, needs: MemoryRequirements) -> bool:
    try:
        _check_pixels(profile, needs)
        _check_draft(profile, hardware, needs)
        context = _context(profile, needs)
    except BadInput:
        return False  # another family may not take the same pictures or lengths
    if not hardware.gpus:
        servers = needs.servers or 1
        return profile.precision == "bf16" and servers * _cpu_budget(profile, context).usable <= hardware.memory
    batched = _batched_tokens(hardware.memory, needs, profile)
    return any(
        size <= hardware.gpus
        and _can_split(profile, size)
        and _budget(profile, hardware.memory, needs, size, batched).requests(context) >= LEAST_REQUESTS
        for size in _TENSOR_PARALLEL
    )


def gib(size: int) -> str:
    """Format a size in GiB, without the unit."""
    return f"{size / GIB:.1f}"
