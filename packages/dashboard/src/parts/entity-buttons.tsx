import { ENTITY_ACTS, type Entry } from '../acts/entity-acts.ts'
import { performOn } from '../acts/perform.ts'
import { useKeys } from '../shell/keys/use-keys.ts'
import { Buttons } from './act-buttons.tsx'

interface Props extends Entry {
  /** Which acts, when not all; those of a row have no keys of their own. */
  readonly only?: readonly string[]
}

/** Accepting, rejecting, superseding and deleting an entry, by mouse and by key. */
export function EntityButtons({ only, ...entry }: Props) {
  const acts = ENTITY_ACTS.filter(
    ({ id, applies }) => applies(entry) && only?.includes(id) !== false,
  )
  useKeys(
    only === undefined
      ? acts.map((act) => ({
          keys: act.key,
          label: act.label,
          run: () => void performOn(act, entry),
        }))
      : [],
  )
  return <Buttons acts={acts} of={entry} onAct={(act) => void performOn(act, entry)} />
}
