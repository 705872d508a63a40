import type { Findings, Proof, Trial } from '../../proof.ts'
import { buildProgram, Program } from '../../system/program.ts'
import { collectPatterns, type FoundPattern } from './collect-patterns.ts'
import { explodes } from './explosions.ts'

/** Expressions that have stopped real servers, in their simplest form. */
const FAULTS: Readonly<Record<string, RegExp>> = {
  repeated_repetition: /^(?:[a-z]+)+$/,
  overlapping_choices: /^(?:\w|[^\s])*!$/,
  optional_separator: /^(?:[\w-]+\.?)+@/,
  doubled_nothing: /^(?:x(?:a*|b*))*$/,
  inside_a_lookahead: /^(?=(?:\d+,?)*;)/,
}

/** Every regular expression of the sources is searched for a loop with two ways through the same text. */
export const patterns: Proof = {
  id: 'patterns',
  promise: 'No text makes the time of a text search explode',
  unit: 'regular expressions',
  goal: 0,
  faults: Object.keys(FAULTS),
  run: tryPatterns,
}

async function tryPatterns({ fault }: Trial): Promise<Findings> {
  const planted = fault === undefined ? undefined : FAULTS[fault]
  const all =
    planted === undefined
      ? [...collectPatterns(), ...(await builtPatterns())]
      : [{ where: 'planted', pattern: planted }]
  const found = all.filter(({ pattern }) => explodes(pattern))
  const [first] = found
  return {
    tried: all.length,
    violations: { exploding: found.length },
    example: first && `${first.where}: ${String(first.pattern)}`,
  }
}

/** Those that are put together from pieces. */
async function builtPatterns(): Promise<FoundPattern[]> {
  const script = await buildProgram(new URL('built.program.ts', import.meta.url))
  const program = new Program(script, {})
  await program.finish()
  return program.reports<{ source: string; flags: string }>().map(({ source, flags }) => ({
    where: 'put together when loaded',
    pattern: new RegExp(source, flags),
  }))
}
