import { needCount, questionCount } from '../../data/task/needs.ts'
import { Icon } from '../../parts/icon.tsx'
import { en } from '../../text/en.ts'
import { isPaletteOpen } from '../palette/palette-state.ts'
import { route, toAddress } from '../router.ts'

const ENTRIES = [
  ['now', ''],
  ['board', 'board'],
  ['inbox', 'inbox'],
  ['agents', 'agents'],
  ['search', 'search'],
] as const

/** The navigation of narrow screens, in reach of a thumb. */
export function BottomBar() {
  return (
    <nav class="bottom-bar" aria-label={en.shell.navigation}>
      {ENTRIES.map(([name, path]) => {
        const badge = name === 'now' ? needCount.value : name === 'inbox' ? questionCount.value : 0
        return (
          <a
            key={name}
            href={toAddress(path)}
            aria-current={route.value.view === name ? 'page' : undefined}
          >
            <Icon name={name} />
            {en.views[name]}
            {badge > 0 && <span class="badge">{badge}</span>}
          </a>
        )
      })}
      <button type="button" onClick={() => (isPaletteOpen.value = true)}>
        <Icon name="more" />
        {en.shell.moreViews}
      </button>
    </nav>
  )
}
