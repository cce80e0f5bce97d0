/** The bar above every page of the report. */
import "./reporthead.css";
import type { JSX } from "preact";
import { CopyButton } from "../components/CopyButton";
import { Icon } from "../components/icons";
import { KeyHelp } from "../components/KeyHelp";
import { ThemeSwitch } from "../components/ThemeSwitch";

export interface Crumb {
  readonly title: string;
  readonly href?: string;
}

/** Show the product's name, where the page is, and what holds everywhere. */
export function ReportHead({ crumbs }: { crumbs: readonly Crumb[] }): JSX.Element {
  return (
    <header class="report-head">
      <span class="report-name">Manyhands</span>
      <nav class="report-crumbs" aria-label="Place">
        <ol>
          {crumbs.map((crumb, at) => (
            <li key={at} aria-current={at === crumbs.length - 1 ? "page" : undefined}>
              <Icon name="right" size={12} />
              {crumb.href ? (
                <a class="clip" href={crumb.href}>
                  {crumb.title}
                </a>
              ) : (
                <span class="clip">{crumb.title}</span>
              )}
            </li>
          ))}
        </ol>
      </nav>
      <div class="report-tools">
        <CopyButton label="Copy this address" text={() => location.href} />
        <KeyHelp />
        <ThemeSwitch />
      </div>
    </header>
  );
}
