import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Keeps the heap near the size of what is alive. By default the young generation grows to 32 MB under load and the old
 * one to a multiple of what is alive, and neither shrinks; here the one stays at its first megabyte.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=30')
  // V8 optimises a function when it has run some 70 KB of its bytecode, so that a server that does a little of
  // everything spends a fifth of its time on that. Loops that are worth it get there within milliseconds all the same.
  setFlagsFromString('--interrupt-budget=1000000')
}

/** Also drops compiled code, which the next calls compile again. */
export function collectCode(): void {
  setFlagsFromString('--stress-flush-code')
  setFlagsFromString('--flush-baseline-code')
  setFlagsFromString('--compact-on-every-full-gc')
  collectGarbage()
  setFlagsFromString('--no-compact-on-every-full-gc')
  setFlagsFromString('--no-flush-baseline-code')
  setFlagsFromString('--no-stress-flush-code')
}

/** A full garbage collection: V8 itself runs none while a process is idle. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
  // The first one finds the garbage, the next one gives its pages back.
  collect()
}
