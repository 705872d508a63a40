import { signal } from '@preact/signals'
import { preferences } from '../../data/preferences.ts'
import { rowKeys } from './row-keys.ts'

/** Something that a key does here, as the help shows it. */
export interface KeyAction {
  /** One key (`c`, `Shift+R`, `Escape`), or two in a row (`g b`). */
  readonly keys: string
  readonly label: string
  readonly run: (event: KeyboardEvent) => void
  /** False for keys that are in use while text is written, such as `Mod+k`. */
  readonly isLetter?: boolean
}

/** How long the second key of a sequence may take. */
const SEQUENCE_MS = 800

const layers = signal<readonly (readonly KeyAction[])[]>([])

interface Begun {
  readonly key: string
  /** What may follow it. */
  readonly next: readonly KeyAction[]
  /** What it does when none of that follows. */
  readonly alone?: KeyAction['run']
}

/** The first key of a sequence that was begun. */
export const begun = signal<Begun | undefined>(undefined)

/** What works now: those of the row that has the focus first, then those of the innermost part. */
export function activeKeys(): readonly KeyAction[] {
  const seen = new Set<string>()
  return [...rowKeys(), ...layers.value.flat()].filter(
    ({ keys }) => !seen.has(keys) && seen.add(keys),
  )
}

/** Adds keys until the function that it returns is called. The latest win. */
export function addKeys(actions: readonly KeyAction[]): () => void {
  layers.value = [actions, ...layers.peek()]
  return () => {
    layers.value = layers.peek().filter((layer) => layer !== actions)
  }
}

export function startKeys(): void {
  let timer = 0
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    const key = nameOf(event)
    if (key === '') return
    const first = begun.peek()
    begun.value = undefined
    clearTimeout(timer)
    const usable = activeKeys().filter((action) => isUsable(action, event))
    const named = (keys: string) => usable.find((action) => action.keys === keys)
    const second = first && named(`${first.key} ${key}`)
    if (second === undefined) first?.alone?.(event)
    const next = usable.filter(({ keys }) => keys.startsWith(`${key} `))
    const action = second ?? named(key)
    if (second === undefined && next.length > 0) {
      event.preventDefault()
      const alone = action?.run
      begun.value = { key, next, ...(alone !== undefined && { alone }) }
      timer = setTimeout(() => {
        begun.value = undefined
        alone?.(event)
      }, SEQUENCE_MS)
    } else if (action !== undefined) {
      event.preventDefault()
      action.run(event)
    }
  })
}

/** Single letters can be switched off, and never work while text is written or a dialog asks. */
function isUsable({ isLetter = true }: KeyAction, { target }: KeyboardEvent): boolean {
  if (!isLetter) return true
  if (!preferences.value.letterKeys) return false
  const element = target instanceof Element ? target : document.body
  return !isWriting(element) && element.closest('dialog') === null
}

function isWriting(element: Element): boolean {
  return element.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
}

function nameOf({ key, shiftKey, metaKey, ctrlKey, altKey }: KeyboardEvent): string {
  if (key === 'Shift' || key === 'Control' || key === 'Meta' || key === 'Alt') return ''
  const name = key === ' ' ? 'Space' : key
  const isLetter = /^[a-z]$/i.test(name)
  const shift = shiftKey && (isLetter || name.length > 1) ? 'Shift+' : ''
  const mod = metaKey || ctrlKey ? 'Mod+' : ''
  const alt = altKey ? 'Alt+' : ''
  return `${mod}${alt}${shift}${isLetter ? name.toLowerCase() : name}`
}
