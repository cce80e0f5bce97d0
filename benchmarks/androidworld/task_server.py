"""Serve AndroidWorld's own task code for one phone: JSON lines over stdin and stdout.

This file runs in the Python of the user's checkout, whose pins differ from ours. It imports nothing of Manyhands:

    PYTHON task_server.py --root CHECKOUT --serial emulator-5554 --adb ADB --adb-port 5037 --seed 30

It prints one line when it is ready, ``{"ready": ..., "finished": [...]}``, then answers each line that it reads:

    {"do": "list"}                      {"tasks": [{"task", "instance", "goal", "budget", "apps", "packages"}]}
    {"do": "needs"}                     {"packages": [...], "is_root": true}
    {"do": "initialize", "task", "instance"}            {"goal": ...}
    {"do": "score", "is_done", "answer", "steps", ...}  {"score": 1.0}; the episode is in the checkpoint
    {"do": "fail", "reason"}                            {"score": null}; a failed episode is in the checkpoint

An answer ``{"error": ...}`` says what their code raised; then the episode is in the checkpoint as a failed one.
Standard output belongs to these lines: whatever else their code prints goes to standard error.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import os
import sys
import time
import traceback
from typing import Any

STEPS, AGENT = "step_number", "manyhands"


class TaskServer:
    """Hold a suite of tasks and the phone on which they are initialised and scored."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Import the checkout, connect to the phone, create the suite. Raises what their code raises."""
        self._constants = _module("constants").EpisodeConstants
        self._suites = _module("suite_utils")
        self._adb = _module("env.adb_utils")
        self._env: Any = None if options.serial is None else _environment(options)
        tasks = [name for name in options.tasks.split(",") if name] or None
        self._suite = self._suites.create_suite(
            _module("registry").TaskRegistry().get_registry(options.family),
            n_task_combinations=options.combinations,
            seed=options.seed,
            tasks=tasks,
            use_identical_params=False,
            env=self._env,
        )
        self._checkpoint = _module("checkpointer").IncrementalCheckpointer(options.checkpoint)
        self._task: Any = None
        self._instance = 0
        self._began = 0.0

    def finished(self) -> list[list[Any]]:
        """Return the tasks and instances in the checkpoint that did not fail: a run goes on after them."""
        fields = [self._constants.TASK_TEMPLATE, self._constants.INSTANCE_ID, self._constants.EXCEPTION_INFO]
        episodes = self._checkpoint.load(fields=fields)
        return [[one[fields[0]], one[fields[1]]] for one in episodes if one[fields[2]] is None]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out a request."""
        what = request.pop("do")
        try:
            answer: dict[str, Any] = getattr(self, f"do_{what}")(**request)
            return answer
        except Exception:  # noqa: BLE001 - their tasks raise anything, and the next one may go well
            reason = traceback.format_exc()
            if self._task is not None:
                self.do_fail(reason)
            return {"error": reason}

    def do_list(self) -> dict[str, Any]:
        return {"tasks": [self._describe(task, i) for tasks in self._suite.values() for i, task in enumerate(tasks)]}

    def _describe(self, task: Any, instance: int) -> dict[str, Any]:
        apps = [name for name in task.app_names if name]
        activities = [self._adb.get_adb_activity(name) for name in apps]
        return {
            "task": task.name,
            "instance": instance,
            "goal": task.goal,
            "budget": self._suites._allocate_step_budget(task.complexity),
            "apps": apps,
            "packages": [self._adb.extract_package_name(one) for one in activities if one],
        }

    def do_needs(self) -> dict[str, Any]:
        self._adb.set_root_if_needed(self._env.controller)
        who = self._adb.issue_generic_request(["shell", "whoami"], self._env.controller).generic.output.decode()
        return {"packages": self._adb.get_all_package_names(self._env.controller), "is_root": who.strip() == "root"}

    def do_initialize(self, task: str, instance: int) -> dict[str, Any]:
        self._task, self._instance, self._began = self._suite[task][instance], instance, time.time()
        self._task.initialize_task(self._env)
        self._env.reset(go_home=True)
        return {"goal": self._task.goal}

    def do_score(self, is_done: bool, answer: str, steps: int, episode: str) -> dict[str, Any]:
        """Score the task. As in their runner, success counts only if the agent said that it is done."""
        if answer:
            self._env.interaction_cache = answer
        score = float(self._task.is_successful(self._env)) if is_done else 0.0
        names, (width, height) = self._constants, self._env.device_screen_size
        self._save(
            {
                names.EPISODE_DATA: {STEPS: list(range(steps))},
                names.IS_SUCCESSFUL: score,
                names.EPISODE_LENGTH: steps,
                names.AUX_DATA: {"episode": episode, "is_done": is_done, "answer": answer},
                names.SCREEN_CONFIG: {
                    **self._suites._get_screen_config(self._task),
                    "width": width,
                    "height": height,
                },
                names.EXCEPTION_INFO: None,
                names.SEED: self._task.params.get(names.SEED),
            }
        )
        self._tear_down()
        return {"score": score}

    def do_fail(self, reason: str) -> dict[str, Any]:
        """Record an episode that says nothing about the agent."""
        failed = self._suites._create_failed_result(self._task.name, self._task.goal, reason, 0.0)
        self._save({**failed, self._constants.SEED: self._task.params.get(self._constants.SEED)})
        self._tear_down()
        return {"score": None}

    def close(self) -> None:
        """Tear down the task that nobody scored, if any."""
        if self._task is not None:
            self._tear_down()

    def _tear_down(self) -> None:
        task, self._task = self._task, None
        try:
            if task.initialized:
                task.tear_down(self._env)
        except Exception:  # noqa: BLE001 - as in their runner, a score stands whatever the tear-down raises
            traceback.print_exc()
        task.initialized = False

    def _save(self, result: dict[str, Any]) -> None:
        names, name = self._constants, self._task.name
        episode = {
            names.GOAL: self._task.goal,
            names.TASK_TEMPLATE: name,
            **result,
            names.RUN_TIME: time.time() - self._began,
            names.FINISH_DTIME: datetime.datetime.now(),
            names.AGENT_NAME: AGENT,
            names.INSTANCE_ID: self._instance,
        }
        self._checkpoint.save_episodes([episode], f"{name}_{self._instance}")


def _module(name: str) -> Any:
    return importlib.import_module(f"android_world.{name}")


def _environment(options: argparse.Namespace) -> Any:
    """Return their environment of one phone. Everything goes through adb; no gRPC, no forwarder app."""
    dm_env, np = importlib.import_module("dm_env"), importlib.import_module("numpy")
    interface = importlib.import_module("android_env.env_interface")
    parser, adb, configs = (
        importlib.import_module(f"android_env.components.{name}")
        for name in ("adb_call_parser", "adb_controller", "config_classes")
    )

    class SharedAdb(adb.AdbController):  # type: ignore[misc,name-defined]
        """Call adb without killing its server, which is shared with our gateway, after a command that fails."""

        def _restart_server(self, timeout: float | None = None) -> None:
            del timeout

    class AdbDevice(interface.AndroidEnvInterface):  # type: ignore[misc,name-defined]
        """Be a phone behind adb, as far as their tasks use one."""

        def __init__(self) -> None:
            config = configs.AdbControllerConfig(
                adb_path=options.adb, adb_server_port=options.adb_port, device_name=options.serial
            )
            self._controller = SharedAdb(config)
            self._parser = parser.AdbCallParser(self._controller)

        def execute_adb_call(self, call: Any) -> Any:
            return self._parser.parse(call)

        def action_spec(self) -> dict[str, Any]:
            return {}

        def observation_spec(self) -> dict[str, Any]:
            return {}

        def reset(self) -> Any:
            return dm_env.restart({"pixels": self._pixels()})

        def step(self, action: Any) -> Any:
            del action  # their tasks only look; our agent acts
            return dm_env.transition(0.0, {"pixels": self._pixels()})

        def _pixels(self) -> Any:
            raw = self._controller.execute_command(["exec-out", "screencap"])
            width, height = np.frombuffer(raw[:8], dtype="<u4")
            rgba = np.frombuffer(raw[len(raw) - int(width) * int(height) * 4 :], dtype=np.uint8)
            return rgba.reshape(int(height), int(width), 4)[:, :, :3]

        def close(self) -> None:
            pass

    controllers = _module("env.android_world_controller")
    controller = controllers.AndroidWorldController(
        AdbDevice(), a11y_method=controllers.A11yMethod.UIAUTOMATOR, install_a11y_forwarding_app=False
    )
    return _module("env.interface").AsyncAndroidEnv(controller)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Serve AndroidWorld's tasks for one phone.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--serial", help="no phone without it: then tasks can only be listed")
    parser.add_argument("--adb", default="adb")
    parser.add_argument("--adb-port", type=int, default=5037)
    parser.add_argument("--family", default="android_world")
    parser.add_argument("--seed", type=int, default=30)
    parser.add_argument("--combinations", type=int, default=1)
    parser.add_argument("--tasks", default="")
    parser.add_argument("--checkpoint", required=True)
    return parser.parse_args()


def main() -> int:
    answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    os.dup2(2, 1)  # what their libraries print must not mix with the answers

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    options = _options()
    sys.path.insert(0, options.root)
    try:
        server = TaskServer(options)
        say({"ready": options.serial, "finished": server.finished()})
    except Exception as error:  # noqa: BLE001 - whatever their imports raise, the parent says it
        traceback.print_exc()
        say({"error": f"{type(error).__name__}: {error}"})
        return 1
    try:
        for line in sys.stdin:
            say(server.answer(json.loads(line)))
    finally:
        server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
