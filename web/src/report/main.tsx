/** Start the report. */
import "../design/index.css";
import { render } from "preact";
import { applyTheme } from "../design/theme";
import { App } from "./App";
import { DifferenceApp } from "./difference/DifferenceApp";
import { firstPart } from "./store";

applyTheme();
render(firstPart() === "diff" ? <DifferenceApp /> : <App />, document.getElementById("app")!);
