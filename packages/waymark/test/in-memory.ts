import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** In memory where the system has such a folder: for tests of rules, not of the disk. */
export const IN_MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
