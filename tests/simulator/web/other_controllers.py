"""Send commands to a phone by another project's own controller, and print as JSON what it returns.

    other_controllers.py PROJECT SERIAL

Each line of stdin is a JSON list: ``["screenshot", FILE]``, ``["tap", X, Y]``, ``["type", TEXT]``, ``["back"]``;
``["dump", FILE]`` and ``["front"]`` where the project has them. It runs in the project's folder, by a Python with its
requirements; ``adb`` is in the path.
"""

# ruff: noqa: T201 - what it prints is its answer

from __future__ import annotations

import base64
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path[0] = "."


class OpenAutoGlm:
    """Use ``phone_agent.adb`` of Open-AutoGLM. It types by ADBKeyboard's broadcasts, in base64."""

    def __init__(self, serial: str) -> None:
        from phone_agent import adb

        self.adb, self.serial = adb, serial

    def screenshot(self, file: str) -> None:
        Path(file).write_bytes(base64.b64decode(self.adb.get_screenshot(self.serial).base64_data))

    def tap(self, x: int, y: int) -> None:
        self.adb.tap(x, y, self.serial, delay=0.01)

    def type(self, text: str) -> None:
        keyboard = self.adb.detect_and_set_adb_keyboard(self.serial)
        self.adb.type_text(text, self.serial)
        self.adb.restore_keyboard(keyboard, self.serial)

    def back(self) -> None:
        self.adb.back(self.serial, delay=0.01)

    def front(self) -> Any:
        return self.adb.get_current_app(self.serial)


class AppAgent:
    """Use ``and_controller`` of AppAgent. It types by ``input text``, so ASCII alone."""

    def __init__(self, serial: str) -> None:
        sys.path[0] = "scripts"
        import and_controller

        self.module, self.controller = and_controller, and_controller.AndroidController(serial)

    def screenshot(self, file: str) -> None:
        self.controller.get_screenshot(Path(file).stem, str(Path(file).parent))

    def tap(self, x: int, y: int) -> Any:
        return self.controller.tap(x, y)

    def type(self, text: str) -> Any:
        return self.controller.text(text)

    def back(self) -> Any:
        return self.controller.back()

    def dump(self, file: str) -> Any:
        """Return the ids of the clickable elements that it finds."""
        path, elements = Path(file), []
        self.controller.get_xml(path.stem, str(path.parent))
        self.module.traverse_tree(file, elements, "clickable", True)
        return [element.uid for element in elements]


class MobileAgent:
    """Use ``utils.android_controller`` of Mobile-Agent-v3. It types letter by letter, by ``input`` or ADBKeyboard."""

    def __init__(self, serial: str) -> None:
        from utils.android_controller import AndroidController

        self.controller = AndroidController(f"adb -s {serial}")

    def screenshot(self, file: str) -> Any:
        return self.controller.get_screenshot(file)

    def tap(self, x: int, y: int) -> None:
        self.controller.tap(x, y)

    def type(self, text: str) -> None:
        self.controller.type(text)

    def back(self) -> None:
        self.controller.back()


class AndroidEnv:
    """Use the parser of android_env's requests, which AndroidWorld sends as well."""

    def __init__(self, serial: str) -> None:
        from android_env.components.adb_call_parser import AdbCallParser
        from android_env.components.adb_controller import AdbController
        from android_env.components.config_classes import AdbControllerConfig
        from android_env.proto.adb_pb2 import AdbRequest

        config = AdbControllerConfig(
            adb_path=shutil.which("adb"), device_name=serial, use_adb_server_port_from_os_env=True
        )
        self.request, self.parser = AdbRequest, AdbCallParser(AdbController(config))

    def _send(self, **fields: Any) -> Any:
        response = self.parser.parse(self.request(**fields))
        assert response.status == 1, response.error_message
        return response

    def _adb(self, *words: str) -> None:
        self._send(generic=self.request.GenericRequest(args=words))

    def _pull(self, path: str, file: str) -> None:
        Path(file).write_bytes(self._send(pull=self.request.Pull(path=path)).pull.content)

    def screenshot(self, file: str) -> None:
        self._adb("shell", "screencap", "-p", "/sdcard/step.png")
        self._pull("/sdcard/step.png", file)

    def tap(self, x: int, y: int) -> None:
        self._send(tap=self.request.Tap(x=x, y=y))

    def type(self, text: str) -> None:
        if text.isascii():
            self._send(input_text=self.request.InputText(text=text.replace(" ", "%s")))
        else:
            self._adb("shell", "am", "broadcast", "-a", "ADB_INPUT_TEXT", "--es", "msg", text)

    def back(self) -> None:
        self._send(press_button=self.request.PressButton(button=self.request.PressButton.Button.BACK))

    def dump(self, file: str) -> None:
        self._adb("shell", "uiautomator", "dump", "/sdcard/step.xml")
        self._pull("/sdcard/step.xml", file)

    def front(self) -> Any:
        request = self.request.GetCurrentActivity()
        return self._send(get_current_activity=request).get_current_activity.full_activity


CONTROLLERS = {
    "Open-AutoGLM": OpenAutoGlm,
    "AppAgent": AppAgent,
    "Mobile-Agent-v3": MobileAgent,
    "android_env": AndroidEnv,
}

if __name__ == "__main__":
    project, serial = sys.argv[1:]
    commands = os.fdopen(os.dup(0))  # not for children: `adb shell` would read them
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    controller = CONTROLLERS[project](serial)
    for line in commands:
        command, *arguments = json.loads(line)
        print(json.dumps({"answer": getattr(controller, command)(*arguments)}), flush=True)
