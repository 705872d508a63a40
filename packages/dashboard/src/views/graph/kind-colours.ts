import type { SceneColours } from '../../draw/scene.ts'

const KINDS: Readonly<Record<string, string>> = {
  task: '#2f6fb7',
  decision: '#1d7f4b',
  note: '#8a7a2e',
  component: '#8a4bb0',
  link: '#0f7585',
  prompt: '#b0561f',
}

export function kindColour(type: string): string {
  return KINDS[type] ?? '#5f6670'
}

/** The colours of the style sheet as a canvas needs them. */
export function sceneColours(): SceneColours {
  const probe = document.createElement('i')
  document.body.append(probe)
  const read = (name: string): string => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const colours = { edge: read('--line-2'), text: read('--fg'), background: read('--card') }
  probe.remove()
  return colours
}
