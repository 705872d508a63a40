import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../packages/baton/test/support/random.ts'

const PAGE = 4096

/** Half of all damage is a bit that flips; the rest is spread over everything else that happens to files. */
const WAYS = [
  'garbage in the database',
  'page of zeros in the database',
  'page in the place of another',
  'cut of the database',
  'empty database',
  'text instead of the database',
  'flip in the log',
  'garbage in the log',
  'cut of the log',
  'no log',
  'log of another project',
  'log without its index',
  'older database',
] as const

/** Damages the files of a store in one of many ways, and says how. */
export function harm(state: string, foreign: string, random: Random): string {
  const database = join(state, 'waymark.db')
  const log = `${database}-wal`
  const way = random.below(2) === 0 ? 'flip in the database' : random.pick(WAYS)
  const path = way.includes('log') ? log : database
  switch (way) {
    case 'flip in the database':
    case 'flip in the log':
      return `${way} at ${change(path, random, (bytes, at) => (bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))))}`
    case 'garbage in the database':
    case 'garbage in the log':
      return `${way} at ${change(path, random, (bytes, at) => {
        const end = Math.min(at + 1 + random.below(64), bytes.length)
        for (let n = at; n < end; n += 1) bytes[n] = random.below(256)
      })}`
    case 'page of zeros in the database':
      return `${way} at ${change(path, random, (bytes, at) => bytes.fill(0, at - (at % PAGE), at - (at % PAGE) + PAGE))}`
    case 'page in the place of another':
      return `${way} at ${change(path, random, (bytes, at) => {
        const from = random.below(bytes.length / PAGE) * PAGE
        bytes.copy(bytes, at - (at % PAGE), from, from + PAGE)
      })}`
    case 'cut of the database':
    case 'cut of the log':
      truncateSync(path, random.below(readFileSync(path).length))
      return way
    case 'empty database':
      truncateSync(path)
      return way
    case 'text instead of the database':
      writeFileSync(path, 'a text that is no database\n'.repeat(400))
      return way
    case 'no log':
      for (const suffix of ['-wal', '-shm']) rmSync(database + suffix)
      return way
    case 'log of another project':
      rmSync(`${database}-shm`)
      copyFileSync(join(foreign, 'waymark.db-wal'), log)
      return way
    case 'log without its index':
      rmSync(`${database}-shm`)
      return way
    case 'older database':
      copyFileSync(join(state, 'older.db'), database)
      return way
  }
}

/** Changes a file at a place of chance, and says where. */
function change(path: string, random: Random, alter: (bytes: Buffer, at: number) => void): number {
  const bytes = readFileSync(path)
  const at = random.below(bytes.length)
  alter(bytes, at)
  writeFileSync(path, bytes)
  return at
}
