import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** How much of everything a run does. */
export interface Effort {
  readonly warmUpEchoes: number
  readonly warmUpBigs: number
  readonly echoes: number
  readonly echoesAtOnce: number
  readonly bigs: number
  readonly bigsAtOnce: number
  /** How long each warm-up may take: enough for a busy machine, because code that is still cold tells nothing. */
  readonly warmUpMs: number
  /** How long one cell of one visit may take. */
  readonly cellMs: number
  readonly coldStartsPerRound: number
  readonly memoryCalls: number
  readonly memoryMs: number
  readonly idleSessions: number
}

export interface Options {
  readonly rounds: number
  readonly only: RegExp
  readonly effort: Effort
  /** Folders of compiled batons to measure; several are compared in the same rounds. */
  readonly builds: readonly string[]
}

const FULL: Effort = {
  warmUpEchoes: 15000,
  warmUpBigs: 500,
  echoes: 2500,
  echoesAtOnce: 20_000,
  bigs: 1500,
  bigsAtOnce: 4000,
  warmUpMs: 30_000,
  cellMs: 4000,
  coldStartsPerRound: 3,
  memoryCalls: 40_000,
  memoryMs: 60_000,
  idleSessions: 2000,
}

const QUICK: Effort = {
  warmUpEchoes: 100,
  warmUpBigs: 20,
  echoes: 100,
  echoesAtOnce: 400,
  bigs: 50,
  bigsAtOnce: 100,
  warmUpMs: 500,
  cellMs: 500,
  coldStartsPerRound: 1,
  memoryCalls: 800,
  memoryMs: 2000,
  idleSessions: 50,
}

const OWN_BUILD = fileURLToPath(new URL('../../packages/baton', import.meta.url))

export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      only: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      build: { type: 'string', multiple: true },
    },
  })
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5))
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be 1 or more')
  return {
    rounds,
    only: new RegExp(values.only, 'i'),
    effort: values.quick ? QUICK : FULL,
    builds: values.build?.map((folder) => resolve(folder)) ?? [OWN_BUILD],
  }
}
