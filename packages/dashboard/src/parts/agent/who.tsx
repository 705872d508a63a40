import { toColour, toInitials } from './agent-colour.ts'

interface Props {
  readonly name: string
}

/** An agent or a person: initials on their colour, and the name. */
export function Who({ name }: Props) {
  return (
    <span class="who" title={name}>
      <Initials name={name} />
      <span>{name}</span>
    </span>
  )
}

export function Initials({ name }: Props) {
  return (
    <span class="initials" style={{ background: toColour(name) }} aria-hidden="true">
      {toInitials(name)}
    </span>
  )
}
