import type { ComponentChildren } from 'preact'
import { Command } from '../../parts/command.tsx'
import { healthWords } from '../../text/view/health.ts'

interface Props {
  readonly heading: string
  readonly isGood: boolean
  readonly command: string
  readonly children: ComponentChildren
}

/** One part of the whole: how it is, and the command that looks closer. */
export function HealthCard({ heading, isGood, command, children }: Props) {
  return (
    <section class="panel health-card">
      <header>
        <h2>{heading}</h2>
        <span class={isGood ? 'mark ok count' : 'mark warn count'}>
          {isGood ? `✓ ${healthWords.ok}` : '▲'}
        </span>
      </header>
      <div class="health-facts">{children}</div>
      <Command text={command} />
    </section>
  )
}
