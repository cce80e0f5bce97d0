/** Start the console. */
import "../design/index.css";
import { render } from "preact";
import { applyTheme } from "../design/theme";
import { beginSession } from "./data/session";
import { startClock } from "./shared/now";
import { App } from "./shell/App";

applyTheme();
startClock();
void beginSession();
render(<App />, document.getElementById("app")!);
