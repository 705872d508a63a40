import { closeSync, writeSync } from 'node:fs'
import { openRegularFile } from '../../../support/files/regular-file.ts'

/** How long the file stays open: a series of commits opens it once, and a file that was replaced is soon noticed. */
const OPEN_MS = 1000

/** A file that is written to wake the processes that watch it. */
export class SignalFile {
  readonly #path: string
  #file: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(path: string) {
    this.#path = path
  }

  write(): void {
    this.#file ??= this.#open()
    if (this.#file !== undefined) writeSync(this.#file, '.', 0)
  }

  close(): void {
    clearTimeout(this.#timer)
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) closeSync(file)
  }

  #open(): number | undefined {
    const file = openRegularFile(this.#path, 'write')
    if (file !== undefined) this.#timer = setTimeout(() => this.close(), OPEN_MS).unref()
    return file
  }
}
