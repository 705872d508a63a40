import type { LaneColours } from '../../draw/lanes.ts'

/** The colours of the style sheet as a canvas needs them. */
export function laneColours(element: Element | null): LaneColours {
  const style = getComputedStyle(element ?? document.documentElement)
  const of = (name: string): string => style.getPropertyValue(name).trim()
  const colour = (name: string): string => resolve(of(name))
  return {
    ends: {
      done: '#1d7f4b',
      released: '#8a5a00',
      expired: '#c0342b',
      taken_back: '#8a4bb0',
      moved: '#0f7585',
      cancelled: '#5f6670',
      held: '#2f6fb7',
    },
    text: colour('--fg-3'),
    onBar: '#ffffff',
    line: colour('--line'),
    gap: colour('--bg-3'),
    dot: colour('--info'),
    alarm: colour('--bad'),
    moment: colour('--accent'),
  }
}

/** A custom property holds `light-dark(…)` as it is written; the browser resolves it for an element. */
function resolve(text: string): string {
  const probe = document.createElement('i')
  probe.style.color = text
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
