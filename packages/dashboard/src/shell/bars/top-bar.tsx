import { me } from '../../data/session.ts'
import { en } from '../../text/en.ts'
import { isCreating } from '../dialog/is-creating.ts'
import { isPaletteOpen } from '../palette/palette-state.ts'
import { route } from '../router.ts'

export function TopBar() {
  const { view } = route.value
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
        onClick={() => (isCreating.value = true)}
      >
        {en.shell.newTask}
      </button>
    </header>
  )
}

const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl '
