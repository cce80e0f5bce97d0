/** The head of a page: where it is, its name, what it is about, and what can be done. */

import "./page.css";
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../../components/icons";

export interface Crumb {
  readonly name: string;
  readonly href: string;
}

export function PageHead(props: {
  title: ComponentChildren;
  crumbs?: readonly Crumb[];
  about?: ComponentChildren;
  actions?: ComponentChildren;
}): JSX.Element {
  return (
    <header class="page-head">
      <div class="page-title">
        {props.crumbs && (
          <nav class="crumbs" aria-label="Where this page is">
            {props.crumbs.map((crumb) => (
              <span key={crumb.href} class="crumb">
                <a href={crumb.href} class="clip">
                  {crumb.name}
                </a>
                <Icon name="right" size={12} />
              </span>
            ))}
          </nav>
        )}
        <h1 class="said">{props.title}</h1>
        {props.about && <p class="page-about quiet">{props.about}</p>}
      </div>
      {props.actions && <div class="page-actions">{props.actions}</div>}
    </header>
  );
}
