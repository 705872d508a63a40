import { request } from '../../data/call.ts'
import { forgetCopies } from '../../data/live/kept-copy.ts'
import { say } from '../../data/notices.ts'
import { type Preferences, preferences, setPreference } from '../../data/preferences.ts'
import { endSession, me } from '../../data/session.ts'
import { en } from '../../text/en.ts'

const THEMES = ['system', 'light', 'dark'] as const

export function SettingsView() {
  const { theme, letterKeys, notify } = preferences.value
  return (
    <div class="settings">
      <section class="panel">
        <header>
          <h2>{en.settings.look}</h2>
        </header>
        <p class="segmented" role="group">
          {THEMES.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={theme === name}
              onClick={() => setPreference('theme', name)}
            >
              {en.settings.theme[name]}
            </button>
          ))}
        </p>
        <Toggle name="letterKeys" label={en.settings.letterKeys} isOn={letterKeys} />
        <label>
          <input
            type="checkbox"
            checked={notify}
            onChange={({ currentTarget }) => void askToNotify(currentTarget.checked)}
          />{' '}
          {en.settings.notify}
        </label>
      </section>
      <section class="panel">
        <header>
          <h2>{en.settings.you}</h2>
        </header>
        <dl class="key-table">
          <dt class="muted">{en.settings.name}</dt>
          <dd>{me.value?.name ?? me.value?.id}</dd>
          <dt class="muted">{en.settings.role}</dt>
          <dd>{me.value?.role}</dd>
          <dt class="muted">{en.settings.mayDo}</dt>
          <dd class="mono">{me.value?.scopes.join(' ')}</dd>
          <dt class="muted">{en.settings.version}</dt>
          <dd>{me.value?.version}</dd>
        </dl>
      </section>
      <section class="panel">
        <header>
          <h2>{en.settings.session}</h2>
        </header>
        <p class="act-buttons">
          <button type="button" onClick={() => void copyReadOnlyLink()}>
            {en.settings.link}
          </button>
          <button
            type="button"
            onClick={() => void forgetCopies().then(() => say('ok', en.settings.forgotten))}
          >
            {en.settings.forget}
          </button>
          <button type="button" onClick={() => void endSession(false)}>
            {en.settings.signOut}
          </button>
          <button type="button" class="danger" onClick={() => void endSession(true)}>
            {en.settings.signOutAll}
          </button>
        </p>
      </section>
    </div>
  )
}

interface ToggleProps {
  readonly name: 'letterKeys' & keyof Preferences
  readonly label: string
  readonly isOn: boolean
}

function Toggle({ name, label, isOn }: ToggleProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => setPreference(name, currentTarget.checked)}
      />{' '}
      {label}
    </label>
  )
}

async function askToNotify(isWanted: boolean): Promise<void> {
  const isAllowed = isWanted && (await Notification.requestPermission()) === 'granted'
  if (isWanted && !isAllowed) say('bad', en.settings.notifyBlocked)
  setPreference('notify', isAllowed)
}

/** The link is for a person who may look and not act. */
async function copyReadOnlyLink(): Promise<void> {
  try {
    const answer = await request('/ui/link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ read_only: true }),
    })
    const { code } = (await answer.json()) as { code: string }
    await navigator.clipboard.writeText(`${location.origin}/ui/#key=${code}`)
    say('ok', en.settings.linkCopied)
  } catch (error) {
    say('bad', (error as Error).message)
  }
}
