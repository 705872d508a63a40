import { signal } from '@preact/signals'
import type { Output } from '../api.ts'

/** Who looks at the page, in which project, and whether it may change anything. */
export type Me = Output<'project.me'>

interface Granted {
  readonly token: string
  readonly expires_at: string
  readonly me: Me
}

/** Per origin, which includes the port: other servers of this machine do not see it. */
const KEY = 'waymark.session'

export type SessionState = 'starting' | 'open' | 'refused'

export const sessionState = signal<SessionState>('starting')
export const me = signal<Me | undefined>(undefined)

let token: string | undefined

/** Exchanges the one-time code in the address for a token, or takes up the one that this browser keeps. */
export async function openSession(): Promise<void> {
  const code = takeCode()
  const kept = readKept()
  if (code !== undefined) await exchange(code, kept)
  else if (kept === undefined) sessionState.value = 'refused'
  else take(kept)
}

/** The header of every request. No cookie is used: cookies are shared between the ports of a host. */
export function authorization(): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Called when the server no longer knows the token. */
export function loseSession(): void {
  localStorage.removeItem(KEY)
  token = undefined
  sessionState.value = 'refused'
}

export async function endSession(everywhere: boolean): Promise<void> {
  const path = everywhere ? '/ui/session?everywhere=true' : '/ui/session'
  await fetch(path, { method: 'DELETE', headers: authorization() })
  loseSession()
}

/** The code leaves the address at once, before anything can copy it. */
function takeCode(): string | undefined {
  const [, code, place] = /^#key=([^&]*)&?(.*)/.exec(location.hash) ?? []
  if (code === undefined) return undefined
  const hash = place === '' ? '' : `#${place}`
  history.replaceState(history.state, '', location.pathname + location.search + hash)
  return code
}

async function exchange(code: string, kept: Granted | undefined): Promise<void> {
  const answer = await fetch('/ui/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  // A reloaded link has a used code; the token that it gave is still good.
  if (!answer.ok && kept !== undefined) return take(kept)
  if (!answer.ok) return void (sessionState.value = 'refused')
  const granted = (await answer.json()) as Granted
  localStorage.setItem(KEY, JSON.stringify(granted))
  take(granted)
}

function take(granted: Granted): void {
  token = granted.token
  me.value = granted.me
  sessionState.value = 'open'
}

function readKept(): Granted | undefined {
  const text = localStorage.getItem(KEY)
  if (text === null) return undefined
  const granted = JSON.parse(text) as Granted
  return Date.parse(granted.expires_at) > Date.now() ? granted : undefined
}
