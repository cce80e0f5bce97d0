/** Start the console. */
import "../design/index.css";
import { render } from "preact";
import { EmptyState } from "../components/EmptyState";
import { applyTheme } from "../design/theme";

applyTheme();
render(<EmptyState title="The console is being built">This page will show the fleet.</EmptyState>, document.getElementById("app")!);
