import { Command } from '../../parts/command.tsx'
import { en } from '../../text/en.ts'

const COMMANDS = ['waymark install', 'waymark task add "First task"', 'waymark doctor'] as const

/** Before the first agent has joined: the commands that bring one. */
export function StartAgents() {
  return (
    <div class="start-agents">
      <p>{en.now.startAgents}</p>
      {COMMANDS.map((command) => (
        <Command key={command} text={command} />
      ))}
    </div>
  )
}
