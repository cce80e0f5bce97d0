/** Start the report. */
import "../design/index.css";
import { render } from "preact";
import { applyTheme } from "../design/theme";
import { App } from "./App";

applyTheme();
render(<App />, document.getElementById("app")!);
