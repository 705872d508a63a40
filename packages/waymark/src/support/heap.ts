import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Keeps the heap near the size of what is alive. By default the young generation grows to 32 MB under load and the old
 * one to a multiple of what is alive, and neither shrinks; here the one stays at its first megabyte.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=30')
  // Otherwise as much again stays with the process as is alive, in pages that are half empty.
  setFlagsFromString('--compact-on-every-full-gc')
  // With a megabyte to look at, threads cost more to wake than they save.
  setFlagsFromString('--no-parallel-scavenge')
  // A fifth of V8's default: code that is spread over many small functions runs as fast, and takes less time and memory
  // to optimise.
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=200')
}

/** Node 20 has nothing between its first compiler and its best one, and later versions do not know these flags. */
const optimisesAtOnce = process.versions.node.startsWith('20.')

/**
 * By default V8 optimises a function when it has run some 200 KB of its bytecode, a short one earlier, so that a server
 * that does a little of everything spends a third of its time on that. Loops that are worth it get there within
 * milliseconds all the same.
 */
export function optimiseLate(): void {
  if (!optimisesAtOnce) return
  setFlagsFromString('--ticks-before-optimization=40')
  setFlagsFromString('--max-bytecode-size-for-early-opt=0')
}

/** As by default. Functions that have run enough by now are optimised with their next call. */
export function optimiseEarly(): void {
  if (!optimisesAtOnce) return
  setFlagsFromString('--ticks-before-optimization=3')
  setFlagsFromString('--max-bytecode-size-for-early-opt=81')
}

/** Also drops compiled code, which the next calls compile again. */
export function collectCode(): void {
  setFlagsFromString('--stress-flush-code')
  setFlagsFromString('--flush-baseline-code')
  collectGarbage()
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
