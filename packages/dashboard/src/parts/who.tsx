import { toColour, toInitials } from './agent-colour.ts'

/** An agent or a person: initials on their colour, and the name. */
export function Who({ name, id = name }: { readonly name: string; readonly id?: string | undefined }) {
  return (
    <span class="who" title={name}>
      <Initials name={name} id={id} />
      <span>{name}</span>
    </span>
  )
}

export function Initials({ name, id = name }: { readonly name: string; readonly id?: string | undefined }) {
  return (
    <span class="initials" style={{ background: toColour(id) }} aria-hidden="true">
      {toInitials(name)}
    </span>
  )
}
