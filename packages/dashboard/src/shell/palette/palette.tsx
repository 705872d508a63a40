import { useEffect, useMemo, useState } from 'preact/hooks'
import { en } from '../../text/en.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { entriesFor, prepareTasks } from './entries.ts'
import { useFoundTexts } from './found-texts.ts'
import { actedOn, firstText, isPaletteOpen } from './palette-state.ts'

/** One box for going, finding and doing. */
export function Palette() {
  return isPaletteOpen.value ? <OpenPalette /> : null
}

function OpenPalette() {
  const [text, setText] = useState(firstText.peek())
  const [selected, setSelected] = useState(0)
  // Once per key, however often this is drawn.
  const known = useMemo(() => entriesFor(text), [text, actedOn.value])
  const entries = [...known, ...useFoundTexts(text)]
  useEffect(prepareTasks, [])
  useEffect(() => () => void (firstText.value = ''), [])
  const close = (): void => void (isPaletteOpen.value = false)
  const choose = (index: number): void => {
    close()
    entries[index]?.run()
  }
  useEffect(() => setSelected(0), [text])
  useEffect(
    () => document.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [selected],
  )
  return (
    <Dialog label={en.keys.palette} class="palette" onClose={close}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[selected] && `palette-${selected}`}
        aria-label={en.keys.palette}
        placeholder={en.palette.placeholder}
        value={text}
        autoFocus
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step !== undefined) {
            event.preventDefault()
            setSelected((selected + step + entries.length) % Math.max(1, entries.length))
          } else if (event.key === 'Enter') {
            event.preventDefault()
            choose(selected)
          }
        }}
      />
      <div id="palette-list" role="listbox" aria-label={en.keys.palette}>
        {entries.map(({ id, number, label, hint }, index) => (
          <div
            key={id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === selected}
            onClick={() => choose(index)}
            onPointerMove={() => setSelected(index)}
          >
            {number !== undefined && <span class="number">#{number}</span>}
            <span class="clip">{label}</span>
            <span class="hint clip">{hint}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p class="empty">{en.palette.nothing}</p>}
    </Dialog>
  )
}
