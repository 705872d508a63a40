import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { removePrograms } from './program-folder.ts'

/** Containers often mount 64 MiB there, too little for repositories of several workers. */
const LEAST_BYTES = 1024 ** 3

let folder = ''

/** One temp folder for the whole run, in memory where the system has room for it; inherited by the workers. */
export function setup(): void {
  folder = mkdtempSync(join(memoryFolder('/dev/shm') ?? tmpdir(), 'waymark-tests-'))
  process.env['TEST_FOLDER'] = folder
  // Programs are bundled by a process that ends, not by a thread: some tests count the threads of their worker.
  process.env['ESBUILD_WORKER_THREADS'] = '0'
}

/** Removes what tests that failed or were killed left behind, too. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  removePrograms(basename(folder))
}

function memoryFolder(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK)
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize >= LEAST_BYTES ? path : undefined
  } catch {
    return undefined
  }
}
