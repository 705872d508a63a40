import { useState } from 'preact/hooks'
import { undoLast } from '../../acts/perform.ts'
import { preferences, setPreference } from '../../data/preferences.ts'
import { copy } from '../../parts/command.tsx'
import { en } from '../../text/en.ts'
import { begun, type KeyAction } from './keys.ts'
import { created } from '../dialog/created.ts'
import { later } from '../later.tsx'
import { isPaletteOpen, openActs } from '../palette/palette-state.ts'
import { WALK_KEYS } from './row-keys.ts'
import { go, toAddress } from '../router.ts'
import { useKeys } from './use-keys.ts'
import { VIEWS } from '../views.ts'

const KeyHelp = later(async () => (await import('./key-help.tsx')).KeyHelp)
const NewEntry = later(async () => (await import('../dialog/new-entry.tsx')).NewEntry)

/** Keys that work everywhere, and the dialogs that they open. */
export function GlobalKeys() {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const openPalette = (): void => void (isPaletteOpen.value = true)
  useKeys([
    ...WALK_KEYS,
    { keys: '.', label: en.acts.all, run: openActs },
    { keys: 'Mod+k', label: en.keys.palette, isLetter: false, run: openPalette },
    { keys: '/', label: en.keys.search, run: openPalette },
    { keys: '?', label: en.keys.help, run: () => setHelpOpen(true) },
    { keys: 'c', label: en.keys.newTask, run: () => (created.value = 'task') },
    { keys: 'd', label: en.keys.newDecision, run: () => (created.value = 'decision') },
    { keys: 'y', label: en.acts.copyLink, run: () => void copy(location.href) },
    { keys: 'z', label: en.keys.undo, run: () => void undoLast() },
    { keys: ']', label: en.keys.rail, run: () => setPreference('rail', !preferences.peek().rail) },
    {
      keys: '[',
      label: en.keys.navigation,
      run: () => setPreference('navigation', !preferences.peek().navigation),
    },
    { keys: 'u', label: en.keys.up, run: () => history.back() },
    ...VIEWS.flatMap(toGoKey),
  ])
  return (
    <>
      <NewEntry />
      {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
      {begun.value !== undefined && <Begun />}
    </>
  )
}

function toGoKey({ name, path, key }: (typeof VIEWS)[number]): readonly KeyAction[] {
  if (key === undefined) return []
  return [{ keys: `g ${key}`, label: en.keys.go(en.views[name]), run: () => go(toAddress(path)) }]
}

/** What may follow the first key of a sequence. */
function Begun() {
  return (
    <div class="notices" role="status">
      <div class="notice">
        <kbd>{begun.value?.key}</kbd> {en.shell.thenPress}
        {begun.value?.next.map(({ keys, label }) => (
          <span key={keys}>
            <kbd>{keys.split(' ')[1]}</kbd> {label}
          </span>
        ))}
      </div>
    </div>
  )
}
