import { useEffect, useState } from 'preact/hooks'
import type { Scale } from '../../draw/squeeze.ts'
import { formatExact } from '../../parts/time.tsx'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { en } from '../../text/en.ts'

const SPEEDS = [60, 300, 600, 3600] as const
const FRAME_MS = 100

interface Props {
  readonly scale: Scale
  /** The moment to show; undefined for now. */
  readonly onMoment: (moment: number | undefined) => void
}

/** Plays the leases again from the beginning, without the silence, or jumps to any moment. */
export function Replay({ scale, onMoment }: Props) {
  const [place, setPlace] = useState(scale.length)
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<number>(600)
  const jump = (next: number): void => {
    setPlace(next)
    onMoment(next >= scale.length ? undefined : timeAt(scale, next))
  }
  useEffect(() => {
    if (!isPlaying) return
    const timer = setInterval(() => {
      setPlace((before) => {
        const next = Math.min(scale.length, before + speed * FRAME_MS)
        if (next >= scale.length) setPlaying(false)
        onMoment(next >= scale.length ? undefined : timeAt(scale, next))
        return next
      })
    }, FRAME_MS)
    return () => clearInterval(timer)
  }, [isPlaying, speed, scale])
  const toggle = (): void => {
    if (!isPlaying && place >= scale.length) jump(0)
    setPlaying(!isPlaying)
  }
  useKeys([{ keys: 'Shift+r', label: en.lanes.replay, run: toggle }])
  return (
    <div class="replay">
      <button type="button" onClick={toggle}>
        {isPlaying ? en.lanes.pause : en.lanes.replay}
      </button>
      <select
        aria-label={en.lanes.replay}
        value={String(speed)}
        onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
      >
        {SPEEDS.map((factor) => (
          <option key={factor} value={String(factor)}>
            {en.lanes.speed(factor)}
          </option>
        ))}
      </select>
      <input
        type="range"
        class="grow"
        min="0"
        max={String(scale.length)}
        value={String(place)}
        aria-label={en.lanes.replay}
        aria-valuetext={formatExact(timeAt(scale, place))}
        onInput={({ currentTarget }) => jump(Number(currentTarget.value))}
      />
      <span class="muted">{formatExact(timeAt(scale, place))}</span>
    </div>
  )
}

/** The time at a place of the squeezed scale. */
function timeAt({ start, gaps }: Scale, place: number): number {
  let time = start + place
  for (const { from, to, at } of gaps) {
    if (place > at) time += to - from - Math.min(60_000, place - at)
  }
  return time
}
