import type { Terminal } from '../terminal/terminal.ts'

/** Work that is done sooner shows nothing at all. */
const PATIENCE_MS = 500
const SHOWN_EVERY_MS = 100
const CLEAR = '\r\u001b[K'

/** One line below everything else that says how far a command has come, and is gone when it has finished. */
export interface ProgressLine extends Disposable {
  show(message: string): void
  /** Takes the line away, for as long as nothing more is shown. */
  clear(): void
}

export function createProgressLine(
  { err, columns }: Pick<Terminal, 'err' | 'columns'>,
  now: () => number = () => performance.now(),
): ProgressLine {
  let nextAt = now() + PATIENCE_MS
  let isShown = false
  let waiting: NodeJS.Timeout | undefined
  const write = (message: string): void => {
    nextAt = now() + SHOWN_EVERY_MS
    isShown = true
    // A line that reaches the last column would break into two, and only one of them could be taken away.
    err(`${CLEAR}${message.slice(0, columns - 1)}`)
  }
  const clear = (): void => {
    clearTimeout(waiting)
    if (isShown) err(CLEAR)
    isShown = false
  }
  return {
    show: (message) => {
      clearTimeout(waiting)
      const wait = nextAt - now()
      if (wait <= 0) write(message)
      // It may be long before there is more to say.
      else waiting = setTimeout(write, wait, message).unref()
    },
    clear,
    [Symbol.dispose]: clear,
  }
}
