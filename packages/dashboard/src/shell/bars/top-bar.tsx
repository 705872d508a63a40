import { me } from '../../data/session.ts'
import { en } from '../../text/en.ts'
import { created } from '../dialog/created.ts'
import { isPaletteOpen } from '../palette/palette-state.ts'
import { route } from '../router.ts'

export function TopBar() {
  const { view } = route.value
  const kind = view === 'knowledge' ? 'decision' : 'task'
  return (
    <header class="top">
      <h1>{en.views[view]}</h1>
      <button type="button" class="search-box" onClick={() => (isPaletteOpen.value = true)}>
        {en.shell.searchOrDo} <kbd>{MOD}K</kbd>
      </button>
      <button
        type="button"
        class="primary"
        disabled={me.value?.read_only === true}
        title={me.value?.read_only === true ? en.acts.readOnly : undefined}
        aria-keyshortcuts={kind === 'task' ? 'c' : 'd'}
        onClick={() => (created.value = kind)}
      >
        {kind === 'task' ? en.shell.newTask : en.newTask.newDecision}
      </button>
    </header>
  )
}

const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl '
