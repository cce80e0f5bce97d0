/** Resolve the design's colours for canvases, which know no variables. */

/** Return what the variables stand for now, such as `{"--accent": "rgb(51, 80, 212)"}`. */
export function resolveColours<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const probe = document.createElement("span");
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const found = {} as Record<Name, string>;
  for (const name of names) {
    probe.style.color = `var(${name})`;
    found[name] = style.color;
  }
  probe.remove();
  return found;
}
