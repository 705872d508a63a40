import { fileURLToPath } from 'node:url'
import type { Findings, Proof, Trial } from '../../proof.ts'
import { Program } from '../../system/program.ts'
import { type FoundPattern, readSources } from './collect-patterns.ts'
import { explodes } from './explosions.ts'
import { isSuperLinear } from './squares.ts'

/** Expressions that have stopped real servers, in their simplest form. */
const PLANTED: Readonly<Record<string, RegExp>> = {
  repeated_repetition: /^(?:[a-z]+)+$/,
  overlapping_choices: /^(?:\w|[^\s])*!$/,
  optional_separator: /^(?:[\w-]+\.?)+@/,
  doubled_nothing: /^(?:x(?:a*|b*))*$/,
  inside_a_lookahead: /^(?=(?:\d+,?)*;)/,
  begun_anywhere: /\s+$/,
  begun_at_every_line: /^\s*- \[.\]/m,
  two_loops_in_a_row: /^\s*#?\s*$/,
  two_loops_with_a_word_between: /^.*token[^:]*:/,
  looked_ahead_from_anywhere: /x(?=.*y)/,
  opened_again_and_again: /\([^)]*\)/g,
}

/** What these put together stands in schemas, all of which are looked through. */
const FROM_SCHEMAS = 'packages/baton/src/internal/json-schema/'

/** Every regular expression of the sources, and every one they put together, is searched for loops that share texts. */
export const patterns: Proof = {
  id: 'patterns',
  promise: 'No text makes the time of a text search grow faster than the text',
  unit: 'regular expressions',
  goal: 0,
  faults: [...Object.keys(PLANTED), 'one_of_a_file_passed_over'],
  run: tryPatterns,
}

async function tryPatterns({ fault }: Trial): Promise<Findings> {
  const planted = fault === undefined ? undefined : PLANTED[fault]
  if (planted !== undefined) return judge([{ where: 'planted', pattern: planted }])
  const { written, building } = readSources()
  const made = await builtPatterns()
  const places = new Set(made.map(({ where }) => where))
  if (fault === 'one_of_a_file_passed_over') places.delete(oneOfSeveral(building))
  const passedOver = building.filter((at) => !places.has(at) && !at.startsWith(FROM_SCHEMAS))
  const { violations, example, ...rest } = judge([...written, ...made])
  return {
    ...rest,
    violations: { ...violations, 'passed over': passedOver.length },
    example: example ?? passedOver[0],
  }
}

/** A place in a file that has another one: whoever counts files alone does not notice that it was passed over. */
function oneOfSeveral(building: readonly string[]): string {
  const fileOf = (place: string) => place.slice(0, place.lastIndexOf(':'))
  const [last = ''] = building.filter(
    (place, at) => at > 0 && fileOf(building[at - 1] ?? '') === fileOf(place),
  )
  return last
}

function judge(all: readonly FoundPattern[]): Findings {
  const exploding = all.filter(({ pattern }) => explodes(pattern))
  const slow = all.filter(({ pattern }) => isSuperLinear(pattern))
  const [first] = [...exploding, ...slow]
  return {
    tried: all.length,
    violations: { exploding: exploding.length, 'super-linear': slow.length },
    example: first && `${first.where}: ${String(first.pattern)}`,
  }
}

let built: Promise<readonly FoundPattern[]> | undefined

/** Those that are put together from pieces. They are the same each time. */
async function builtPatterns(): Promise<readonly FoundPattern[]> {
  built ??= runBuilders()
  return await built
}

/** From the sources as they are, so that each expression is known by the line that puts it together. */
async function runBuilders(): Promise<FoundPattern[]> {
  const script = fileURLToPath(new URL('built.program.ts', import.meta.url))
  const options = `--import=${import.meta.resolve('tsx')} --conditions=@waymark/source`
  const program = new Program(script, {}, { NODE_OPTIONS: options })
  await program.finish()
  return program
    .reports<{ place: string; source: string; flags: string }>()
    .map(({ place, source, flags }) => ({ where: place, pattern: new RegExp(source, flags) }))
}
