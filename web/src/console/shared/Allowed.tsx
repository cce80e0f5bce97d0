/** Offers an action only to those whose role allows it, and says to others why not. */

import type { JSX } from "preact";
import { Button, type ButtonProps } from "../../components/Button";
import { Icon } from "../../components/icons";
import { refusalFor } from "../data/session";
import type { AccessRole } from "../data/types";

/** Shows a button. Without the role it is disabled, and a line that screen readers read says why. */
export function AllowedButton({
  needs,
  owner,
  ...button
}: ButtonProps & { needs: AccessRole; owner?: string }): JSX.Element {
  const refusal = refusalFor(needs, owner);
  if (refusal === null) return <Button {...button} />;
  return (
    <Button {...button} aria-disabled="true" disabled title={refusal} />
  );
}

/** Says why something is not offered; shows nothing where it is. */
export function RoleNote({ needs, owner, what }: { needs: AccessRole; owner?: string; what: string }): JSX.Element | null {
  const refusal = refusalFor(needs, owner);
  if (refusal === null) return null;
  return (
    <p class="role-note quiet">
      <Icon name="info" size={14} /> <span>{what}: {refusal}</span>
    </p>
  );
}
