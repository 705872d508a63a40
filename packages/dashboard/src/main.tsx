import { render } from 'preact'
import { setServerTime, startClock } from './data/live/clock.ts'
import { startReloading } from './data/live/follow.ts'
import { showKeptCopy } from './data/live/live.ts'
import { applyPreferences } from './data/preferences.ts'
import { startVisit } from './data/last-visit.ts'
import { me, openSession, sessionState } from './data/session.ts'
import { startFollowing } from './data/live/stream.ts'
import { App } from './shell/app.tsx'
import { startKeys } from './shell/keys/keys.ts'
import { startRouter } from './shell/router.ts'
import { startNotifications } from './shell/notify.ts'
import { startTitle } from './shell/title.ts'
import './styles/tokens.css'
import './styles/parts.css'
import './styles/shell.css'
import './styles/views.css'
import './styles/more-views.css'
import './styles/projects.css'
import './styles/narrow.css'

const place = document.querySelector('#app')
if (place !== null) {
  applyPreferences()
  startRouter()
  startKeys()
  startClock()
  render(<App />, place)
  void start()
}

async function start(): Promise<void> {
  await openSession()
  if (sessionState.peek() !== 'open') return
  if (me.value !== undefined) setServerTime(me.value.now)
  startTitle()
  startVisit()
  startNotifications()
  startReloading()
  await showKeptCopy()
  await startFollowing()
}
