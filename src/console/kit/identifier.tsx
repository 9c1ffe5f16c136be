// Shows an identifier of the platform to readers.
import { labelOf } from "../../page-kit/parts"

/** The title of an alert or a cause, with the identifier that emails, commands and runbooks use. */
export const Identifier = ({ name }: { name: string }) => (
  <>
    {labelOf(name)} <span class="sub">{name}</span>
  </>
)
