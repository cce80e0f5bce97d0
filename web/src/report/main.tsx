/** Start the report. */
import "../design/index.css";
import { render } from "preact";
import { EmptyState } from "../components/EmptyState";
import { applyTheme } from "../design/theme";

applyTheme();
render(<EmptyState title="No data">The report has no data.</EmptyState>, document.getElementById("app")!);
