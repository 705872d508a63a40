import { request } from '../../data/call.ts'
import { forgetCopies } from '../../data/live/kept-copy.ts'
import { say } from '../../data/notices.ts'
import { type Preferences, preferences, setPreference } from '../../data/preferences.ts'
import { endSession, me } from '../../data/session.ts'
import { settingsWords } from '../../text/view/settings.ts'

const THEMES = ['system', 'light', 'dark'] as const

export function SettingsView() {
  const { theme, letterKeys, notify } = preferences.value
  return (
    <div class="settings">
      <section class="panel">
        <header>
          <h2>{settingsWords.look}</h2>
        </header>
        <p class="segmented" role="group">
          {THEMES.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={theme === name}
              onClick={() => setPreference('theme', name)}
            >
              {settingsWords.theme[name]}
            </button>
          ))}
        </p>
        <Toggle name="letterKeys" label={settingsWords.letterKeys} isOn={letterKeys} />
        <label>
          <input
            type="checkbox"
            checked={notify}
            onChange={({ currentTarget }) => void askToNotify(currentTarget.checked)}
          />{' '}
          {settingsWords.notify}
        </label>
      </section>
      <section class="panel">
        <header>
          <h2>{settingsWords.you}</h2>
        </header>
        <dl class="key-table">
          <dt class="muted">{settingsWords.name}</dt>
          <dd>{me.value?.name ?? me.value?.id}</dd>
          <dt class="muted">{settingsWords.role}</dt>
          <dd>{me.value?.role}</dd>
          <dt class="muted">{settingsWords.mayDo}</dt>
          <dd class="mono">{me.value?.scopes.join(' ')}</dd>
          <dt class="muted">{settingsWords.version}</dt>
          <dd>{me.value?.version}</dd>
        </dl>
      </section>
      <section class="panel">
        <header>
          <h2>{settingsWords.session}</h2>
        </header>
        <p class="act-buttons">
          <button type="button" onClick={() => void copyReadOnlyLink()}>
            {settingsWords.link}
          </button>
          <button
            type="button"
            onClick={() => void forgetCopies().then(() => say('ok', settingsWords.forgotten))}
          >
            {settingsWords.forget}
          </button>
          <button type="button" onClick={() => void endSession(false)}>
            {settingsWords.signOut}
          </button>
          <button type="button" class="danger" onClick={() => void endSession(true)}>
            {settingsWords.signOutAll}
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
  if (isWanted && !isAllowed) say('bad', settingsWords.notifyBlocked)
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
    say('ok', settingsWords.linkCopied)
  } catch (error) {
    say('bad', (error as Error).message)
  }
}
