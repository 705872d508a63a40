import { sessionState } from '../data/session.ts'
import { Command } from '../parts/command.tsx'
import { Logo } from '../parts/icon.tsx'
import { en } from '../text/en.ts'
import { Frame } from './frame.tsx'

export function App() {
  if (sessionState.value === 'open') return <Frame />
  if (sessionState.value === 'starting') return <main class="gate muted">{en.gate.opening}</main>
  return (
    <main class="gate">
      <p>
        <Logo />
      </p>
      <h1>{en.gate.title}</h1>
      <p class="muted">{en.gate.text}</p>
      <Command text="waymark ui" />
    </main>
  )
}
