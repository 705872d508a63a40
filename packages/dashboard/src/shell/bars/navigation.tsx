import { connection, cursor } from '../../data/live/live.ts'
import { needCount, questionCount } from '../../data/task/needs.ts'
import { projectName } from '../../data/project.ts'
import { me } from '../../data/session.ts'
import { Icon, Logo } from '../../parts/icon.tsx'
import { en } from '../../text/en.ts'
import { route, toAddress } from '../router.ts'
import { VIEWS } from '../views.ts'

/** Badges count what needs a person, and nothing else. */
function badgeOf(view: string): number {
  if (view === 'now') return needCount.value
  return view === 'inbox' ? questionCount.value : 0
}

export function Navigation() {
  return (
    <nav class="nav" aria-label={en.shell.navigation}>
      <a class="project" href={toAddress('all')}>
        <Logo />
        <span class="clip">{projectName.value}</span>
      </a>
      {VIEWS.filter(({ key }) => key !== undefined).map((view) => (
        <NavigationLink key={view.name} {...view} />
      ))}
      <div class="foot">
        <NavigationLink name="settings" path="settings" icon="settings" />
        <Connection />
      </div>
    </nav>
  )
}

type LinkProps = Pick<(typeof VIEWS)[number], 'name' | 'path' | 'key' | 'icon'>

function NavigationLink({ name, path, key, icon }: LinkProps) {
  const badge = badgeOf(name)
  return (
    <a
      class="nav-link"
      href={toAddress(path)}
      title={key === undefined ? undefined : `g ${key}`}
      aria-current={isCurrent(name) ? 'page' : undefined}
    >
      {icon !== undefined && <Icon name={icon} />}
      {en.views[name]}
      {badge > 0 && (
        <span class="badge">
          {badge}
          <span class="visually-hidden"> {en.shell.needYou(badge)}</span>
        </span>
      )}
    </a>
  )
}

function isCurrent(name: string): boolean {
  const shown = route.value.view
  return shown === name || (shown === 'task' && name === 'board')
}

function Connection() {
  const state = connection.value
  return (
    <p class="connection" role="status" title={en.shell.event(cursor.value)}>
      <span class={`dot ${state}`} aria-hidden="true" />
      {en.shell.connection[state]}
      {me.value?.read_only === true && ` · ${en.shell.readOnly}`}
    </p>
  )
}
